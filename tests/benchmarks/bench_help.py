"""How long the console command takes to answer what computes nothing."""

import resource
import subprocess
import sys

import pytest

from studies import cli
from studies.rig import COMMANDS as RIG

COMMAND = "import sys; from studies.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.benchmark
def test_help_of_every_command(figure, timed):
    for page in ([], *([study] for study in cli.STUDIES), *(["rig", name] for name in RIG)):
        arguments = [sys.executable, "-c", COMMAND, *page, "--help"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        _, timing = timed(lambda asked=arguments: subprocess.run(asked, check=True, stdout=subprocess.DEVNULL))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        runs = 1 + len(timing.repeats_s)
        spent = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / runs
        figure(" ".join(["catenary", *page, "--help"]), f"{timing}; processor {spent:.2f} s", "0.5 s")
