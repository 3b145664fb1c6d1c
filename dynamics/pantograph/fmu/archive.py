"""Content of an FMU: what its description says, and where its library and resources lie once it is unpacked."""

from __future__ import annotations

import hashlib
import platform
import sys
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from dynamics.pantograph.own_process import DeviceError

__all__ = ["Archive", "FmuError", "refuse_variables", "unpack", "unpack_on_record"]

MOST_BYTES = 2_000_000_000  # of all that is unpacked


class FmuError(DeviceError):
    """An FMU that cannot be used or has failed, in one sentence."""


@dataclass(frozen=True)
class Archive:
    """An unpacked FMU.

    Attributes
    ----------
    version : int
        Major version of FMI, 2 or 3.
    identifier, token : str
        Name of its library, and what it is instantiated with.
    library, resources : Path
    references : dict of str to int
        Value reference of every real variable by name.
    kinds : dict of str to str
        Causality of every variable by name.
    """

    version: int
    identifier: str
    token: str
    library: Path
    resources: Path
    references: dict[str, int]
    kinds: dict[str, str]


def unpack_on_record(file: Path, sha256: str, folder: Path) -> Archive:
    """Unpack an FMU as `unpack` does, if it has the content that is on record.

    Raises
    ------
    FmuError
        If it has another, or cannot be used.
    """
    if hashlib.sha256(file.read_bytes()).hexdigest() != sha256:
        raise FmuError("has another content than that on record")
    return unpack(file, folder)


def refuse_variables(archive: Archive, wanted: Iterable[tuple[str, tuple[str, ...]]]) -> None:
    """Refuse variables that an FMU does not have, or whose causality is not one of those next to their names.

    Raises
    ------
    FmuError
        With what it has.
    """
    for name, kinds in wanted:
        if name not in archive.references:
            known = ", ".join(sorted(archive.references)[:20])
            raise FmuError(f"has no real variable '{name}': it has {known}")
        if archive.kinds[name] not in kinds:
            raise FmuError(f"has '{name}' as {archive.kinds[name]}, where {' or '.join(kinds)} is needed")


def unpack(file: Path, folder: Path) -> Archive:
    """Unpack an FMU into a folder and read its description.

    Raises
    ------
    FmuError
        If this machine cannot load it as an FMU for co-simulation.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(part.file_size for part in archive.infolist()) > MOST_BYTES:
                raise FmuError(f"holds more than {1e-9 * MOST_BYTES:g} GB")
            archive.extractall(folder)
        root = ElementTree.parse(folder / "modelDescription.xml").getroot()
    except (OSError, zipfile.BadZipFile, ElementTree.ParseError) as error:
        raise FmuError(f"cannot be unpacked as an FMU: {error}") from error
    version = root.get("fmiVersion", "").partition(".")[0]
    if version not in ("2", "3"):
        raise FmuError(f"must be of FMI 2 or 3: it says '{root.get('fmiVersion')}'")
    whole = root.find("CoSimulation")
    if whole is None:
        raise FmuError("must be for co-simulation, with a solver of its own: it is for model exchange alone")
    identifier, major = whole.get("modelIdentifier", ""), int(version)
    library = folder / "binaries" / _platform(major) / f"{identifier}{_suffix()}"
    if not library.is_file():
        raise FmuError(f"holds no library for this machine: {library.relative_to(folder)} is missing")
    references, kinds = _variables(root, major)
    token = root.get("guid" if major == 2 else "instantiationToken", "")
    return Archive(major, identifier, token, library, folder / "resources", references, kinds)


def _variables(root: ElementTree.Element, version: int) -> tuple[dict[str, int], dict[str, str]]:
    """Value references and causalities of the real variables by name."""
    if version == 3:
        found = root.findall("ModelVariables/Float64")
    else:
        found = [each for each in root.findall("ModelVariables/ScalarVariable") if each.find("Real") is not None]
    references = {each.get("name", ""): int(each.get("valueReference", "0")) for each in found}
    return references, {each.get("name", ""): each.get("causality", "local") for each in found}


def _platform(version: int) -> str:
    """Name of the folder that holds this machine's library."""
    machine = platform.machine().lower().replace("amd64", "x86_64").replace("arm64", "aarch64")
    if version == 3:
        system = {"linux": "linux", "win32": "windows", "darwin": "darwin"}.get(sys.platform, sys.platform)
        return f"{machine}-{system}"
    return {"linux": "linux64", "win32": "win64", "darwin": "darwin64"}.get(sys.platform, sys.platform)


def _suffix() -> str:
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
