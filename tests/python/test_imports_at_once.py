"""What a notebook imports first costs next to nothing: the packages load what is called when it is called."""

import resource
import subprocess
import sys

import pytest

import catenary
import dynamics
import optimise

HEAVY = ("numba", "xarray", "optuna", "dask", "distributed", "scipy", "matplotlib", "pydantic")


@pytest.mark.parametrize("package", [catenary, dynamics, optimise], ids=lambda package: package.__name__)
def test_a_package_is_imported_in_under_half_a_second(package):
    code = f"import sys, {package.__name__}\nprint([m for m in {HEAVY!r} if m in sys.modules])"

    def seconds():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.stdout.strip() == "[]"
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(3)) < 0.5  # processor time, Python's own start included


@pytest.mark.parametrize("package", [catenary, dynamics, optimise], ids=lambda package: package.__name__)
def test_every_name_of_a_package_is_there_and_says_what_it_is(package):
    assert dir(package) == sorted(package.__all__)
    for name in package.__all__:
        assert getattr(package, name).__doc__, name
    unknown = "no_such_name"
    with pytest.raises(AttributeError, match=package.__all__[0]):
        getattr(package, unknown)
