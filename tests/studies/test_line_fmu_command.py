"""The line as an FMU from the command line: written once, refused by name."""

import zipfile
from xml.etree import ElementTree

from refusal import refused

SMALL = (
    "catenary=bruni_2015", "speed_kmh=275", "catenary.mesh.elements_per_bay=2", "open_line.spans=6",
    "open_line.start=1", "open_line.first_evaluated=3", "open_line.last_evaluated=4", "open_line.spans_after=1",
)  # fmt: skip


def test_an_fmu_is_written_with_its_source_and_is_not_written_over(catenary, folder, c_compiler):
    ended = catenary("fmu", *SMALL, "file=line.fmu", "dt=2e-3")
    assert ended.code == 0, ended
    assert "Wrote line.fmu: bruni_2015 at 275 km/h, steps of 2 ms" in ended.out
    with zipfile.ZipFile(folder / "line.fmu") as archive:
        names, root = archive.namelist(), ElementTree.fromstring(archive.read("modelDescription.xml"))
    assert {"sources/line.c", "resources/line.bin", "modelDescription.xml"} <= set(names)
    speed = root.find("ModelVariables/ScalarVariable[@name='speed']/Real")
    assert float(speed.get("start")) == 275.0 / 3.6
    assert float(root.find("DefaultExperiment").get("stepSize")) == 2e-3
    refused(catenary("fmu", *SMALL, "file=line.fmu"), ["file line.fmu exists already"])


def test_what_cannot_be_an_fmu_is_refused_and_nothing_is_written(catenary, folder, c_compiler):
    refused(catenary("fmu", *SMALL), ["file must end in .fmu: got nothing"])
    refused(catenary("fmu", *SMALL, "file=line.fmu", "solver=periodic"), ["solver must be open_line"])
    refused(catenary("fmu", *SMALL, "file=line.fmu", "kinematics=nonlinear"), ["kinematics must be linearised"])
    assert not (folder / "line.fmu").exists()
