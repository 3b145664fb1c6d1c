"""Errors on the page of a comparison: figures that have one show it, and what is inside them is called the same."""

from dataclasses import replace

from optimise.evaluation.verdict import SAME
from studies.report.pages.comparison_page import comparison_page
from studies.report.readers.comparison_content import SIGMA


def compared(content, *figures):
    """Page of runs with these standard deviations and errors [N], its headline and the row of sigma."""
    entries = []
    for entry, (sigma, error) in zip(content.entries, figures, strict=False):
        result = replace(entry.result, statistics={**entry.result.statistics, SIGMA: sigma})
        entries.append(replace(entry, result=result, errors={} if error is None else {SIGMA: error}, note=""))
    page = comparison_page(replace(content, entries=tuple(entries)))
    (row,) = [r for r in page.sections[0].tables[0].rows if r[0].startswith("standard deviation")]
    return page.headline.replace("\N{NO-BREAK SPACE}", " "), row


def test_a_difference_inside_both_errors_is_called_the_same(comparison_content):
    headline, row = compared(comparison_content, (19.09, 0.03), (19.13, 0.10))
    assert headline.endswith(f"is 19.090 ± 0.030 N with A, 19.13 ± 0.10 N with B (+0.2 %: {SAME}).")
    assert row[1:4] == ("19.090 ± 0.030", "19.13 ± 0.10", f"+0.04 ± 0.10 (+0.2 %: {SAME})")


def test_a_difference_beyond_both_errors_has_its_own(comparison_content):
    headline, row = compared(comparison_content, (19.0, 0.03), (20.0, 0.04))
    assert "(+5.3 %)" in headline and SAME not in headline and row[3] == "+1.000 ± 0.050 (+5.3 %)"


def test_what_has_no_error_is_named(comparison_content):
    headline, row = compared(comparison_content, (19.09, 0.03), (19.13, None))
    assert headline.endswith("19.13 N with B (+0.2 %). The error of B is not known.") and row[3] == "+0.04 (+0.2 %)"


def test_many_forces_have_their_errors_too(comparison_content):
    headline, row = compared(comparison_content, *[(19.0 + 0.02 * k, 0.05) for k in range(5)])
    assert row[2] == f"19.020 ± 0.050 (+0.1 %: {SAME})" and row[5] == "19.080 ± 0.050 (+0.4 %)"
    assert headline.count("±") == 5 and "not known" not in headline
