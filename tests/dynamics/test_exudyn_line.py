"""A pantograph of three masses stepped by Exudyn, a multibody program of others, under a line that is marched."""

from pathlib import Path

import pytest

from dynamics.simulation import run_case
from dynamics.spec.case_input import load_pantograph
from dynamics.spec.pantograph import PantographSpec

pytest.importorskip("exudyn", reason="no Exudyn: pip install exudyn==1.13.6")

OPEN_LINE = {"spans": 6, "start": 1.0, "first_evaluated": 3, "last_evaluated": 4, "spans_after": 1}
MASSES = Path(__file__).resolve().parent / "exudyn_masses.py"


@pytest.mark.parametrize("contact_stiffness", [50e3, 200e3])
def test_sigma_under_exudyn_is_that_of_the_monolithic_run(build_case, contact_stiffness):
    """The line's coupling rule alone stands between both: 0.1 % of sigma at 1 ms."""
    given = {"file": str(MASSES), "model": "Masses", "settle_s": 1.0}
    head = PantographSpec.model_validate({"kind": "python", "name": "exudyn", "python": given})

    def ran(pantograph):
        content = {"solver": "open_line", "open_line": OPEN_LINE, "dt": 1e-3, "applied_force_N": 170.0}
        case = build_case(
            "bruni_2015", 320.0, pantograph=pantograph, run_python=pantograph.kind == "python",
            contact={"stiffness": contact_stiffness}, **content,
        )  # fmt: skip
        return run_case(case, error_estimate=False)

    native, driven = ran(load_pantograph("bruni_2015")), ran(head)
    print(f"{contact_stiffness:g} N/m: {driven.contact_force_std_N:.4f} by Exudyn, {native.contact_force_std_N:.4f} N")
    assert driven.contact_force_std_N == pytest.approx(native.contact_force_std_N, rel=1e-3)
    assert driven.contact_force_mean_N == pytest.approx(native.contact_force_mean_N, rel=1e-4)
