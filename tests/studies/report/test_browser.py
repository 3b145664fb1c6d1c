"""The pages in a real headless browser: no error, no sideways scrolling, values read by pointer and keys."""

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from html import unescape

import pytest

from studies.report.drawing.page import page_html
from studies.report.pages.campaign_page import campaign_page
from studies.report.pages.comparison_page import comparison_page
from studies.report.pages.simulation_page import simulation_page
from studies.validation.page import validation_page

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--virtual-time-budget=4000",
]
# Runs before everything else in a copy of the page, so that no error escapes it.
LISTEN = """<script>
window.seen = [];
window.addEventListener("error", (e) => window.seen.push(String(e.message || e.target.outerHTML)), true);
window.addEventListener("unhandledrejection", (e) => window.seen.push(String(e.reason)));
window.addEventListener("securitypolicyviolation", (e) => window.seen.push("refused " + e.blockedURI));
for (const kind of ["error", "warn"]) { console[kind] = (...what) => window.seen.push(what.join(" ")); }
</script>"""
# The width is that of a frame: a headless window is never narrower than about 500 px, a frame has any width.
REPORT = """<script>
const frame = document.getElementById("page");
frame.addEventListener("load", () => setTimeout(() => {
  const inner = frame.contentWindow, root = inner.document.documentElement;
  const read = { errors: inner.seen, scroll: root.scrollWidth, client: root.clientWidth };
  const act = inner.act ? inner.act() : null;
  const result = document.createElement("output");
  result.textContent = JSON.stringify({ ...read, acted: act, errors: inner.seen });
  document.body.append(result);
}, 300));
</script>"""


def browser_or_skip():
    """The browser's path; without it a failure where CI=true and a skip elsewhere."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return name
    message = "no headless browser; on Debian or Ubuntu run: apt-get install chromium"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


def open_page(html, width, folder, act=""):
    """What a page says after loading at a width: errors, scrollWidth, clientWidth, and what ``act`` returns.

    ``act`` is the body of a function that runs inside the page once it has loaded.
    """
    browser = browser_or_skip()
    doing = f"<script>window.act = () => {{ {act} }};</script>" if act else ""
    (folder / "page.html").write_text(html.replace("<head>", "<head>" + LISTEN + doing, 1), encoding="utf-8")
    frame = f'<iframe id="page" src="page.html" width="{width}" height="900"></iframe>'
    holder = f'<!DOCTYPE html><html><body style="margin:0">{frame}{REPORT}</body></html>'
    (folder / "holder.html").write_text(holder, encoding="utf-8")
    command = [
        browser,
        *FLAGS,
        "--allow-file-access-from-files",
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={width + 40},1000",
        "--dump-dom",
        (folder / "holder.html").as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r"<output>(.*?)</output>", done.stdout, re.S)
    assert found, f"the browser gave no result (exit {done.returncode}):\n{done.stderr[-2000:]}"
    return json.loads(unescape(found.group(1)))


WIDTHS = (1280, 768)
READ_ALL = """
const read = [];
for (const plot of document.querySelectorAll(".plot")) {
  const svg = plot.querySelector("svg.chart"), box = svg.getBoundingClientRect();
  const where = { clientX: box.left + 0.7 * box.width, clientY: box.top + 0.5 * box.height, bubbles: true };
  svg.dispatchEvent(new PointerEvent("pointermove", where));
  const pointed = plot.querySelector(".reading").textContent;
  svg.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
  const keyed = plot.querySelector(".reading").textContent;
  read.push([plot.parentElement.id, pointed, keyed]);
}
return read;
"""
TABLES = """
const boxes = [...document.querySelectorAll(".scroll")];
return boxes.map((box) => [box.textContent.slice(0, 60), box.scrollWidth, box.clientWidth]);
"""
WIDE = """
const wide = document.createElement("div");
wide.style.width = "3000px";
wide.textContent = "wide";
document.body.append(wide);
return document.documentElement.scrollWidth;
"""


@pytest.fixture(params=["campaign", "simulation", "long_names"])
def html(request, campaign_content, simulation_content):
    if request.param == "simulation":
        return page_html(simulation_page(simulation_content))
    content = campaign_content
    if request.param == "long_names":
        name = "a_line_whose_name_has_all_the_sixty_four_letters_that_it_may_have"
        content = replace(content, title=name, warnings=(name * 4,), run=replace(content.run, command=name * 5))
    return page_html(campaign_page(content))


@pytest.mark.parametrize("width", WIDTHS)
def test_no_error_and_no_sideways_scrolling(html, width, tmp_path):
    seen = open_page(html, width, tmp_path, TABLES)
    assert seen["errors"] == []
    assert len(seen["acted"]) >= 4
    assert [box for box in seen["acted"] if box[1] > box[2]] == [], "these tables are wider than the page"
    assert 0.9 * width < seen["client"] <= width
    assert seen["scroll"] <= seen["client"]


@pytest.mark.parametrize("width", WIDTHS)
def test_every_chart_can_be_read(html, width, tmp_path):
    seen = open_page(html, width, tmp_path, READ_ALL)
    assert seen["errors"] == []
    assert len(seen["acted"]) >= 4
    for name, pointed, keyed in seen["acted"]:
        assert any(unit in pointed for unit in (" N", " mm", " m")), f"{name} reads '{pointed}'"
        assert pointed != keyed, f"the arrow key does not move the reading of {name}"


def test_the_value_read_is_the_value_drawn(campaign_content, tmp_path):
    html = page_html(campaign_page(campaign_content))
    seen = open_page(html, 1280, tmp_path, READ_ALL)
    reading = {name: pointed for name, pointed, _ in seen["acted"]}["contact_force"]
    station = float(reading.split("pantograph ")[1].split(" m")[0])
    curve = campaign_content.best.force
    expected = curve.y[abs(curve.x - station).argmin()]
    assert float(reading.split("best: ")[1].split(" N")[0]) == pytest.approx(expected, abs=1.0)


def test_errors_and_wide_pages_would_be_seen(campaign_content, tmp_path):
    html = page_html(campaign_page(campaign_content))
    broken = html.replace("</main>", "</main><script>undefined_name();</script><img src='http://127.0.0.1:9/a.png'>")
    seen = open_page(broken, 768, tmp_path, WIDE)
    assert "refused inline" in seen["errors"], "a script that is not the page's own is run"
    assert any("refused http://127.0.0.1:9/a.png" in error for error in seen["errors"])
    assert seen["acted"] > 768


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", [2, 6])
def test_a_comparison_fits_and_can_be_read(comparison_content, count, width, tmp_path):
    content = replace(comparison_content, entries=comparison_content.entries[:count])
    page = page_html(comparison_page(content))
    seen = open_page(page, width, tmp_path, READ_ALL)
    assert seen["errors"] == []
    assert seen["scroll"] <= seen["client"]
    for _, pointed, _ in seen["acted"]:
        assert all(f"{letter}: line" in pointed for letter in "ABCDEF"[:count])


def test_a_validation_fits_and_can_be_read(validation_comparison, tmp_path):
    page = page_html(validation_page([validation_comparison], "catenary validate", (("commit", "abc"),)))
    seen = open_page(page, 768, tmp_path, READ_ALL)
    assert seen["errors"] == []
    assert seen["scroll"] <= seen["client"]
    assert len(seen["acted"]) == 1
    assert all(any(who in said for who in ("PACDIN", "PantoCat", " to ")) for _, said, _ in seen["acted"])
    tables = open_page(page, 1280, tmp_path, TABLES)["acted"]
    assert [box for box in tables if box[1] > box[2]] == [], "these tables are wider than the page"
