"""The raw file of a bundle: little-endian float64 behind a header that names every variable."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catenary.storage.files import whole_file
from dynamics.rig.bundle.pfem import MAGIC

__all__ = ["write_raw"]

HEAD, ENTRY, MOST_DIMENSIONS, NAME_BYTES = 32, 64, 3, 24


def write_raw(path: Path, arrays: dict[str, NDArray[np.float64]]) -> int:
    """Write every variable, last index fastest; the CRC-32 of the numbers, which stands in the header, is returned."""
    begin = HEAD + ENTRY * len(arrays)
    entries, offset, checksum = [], begin, 0
    little = {name: np.asarray(values, dtype="<f8", order="C") for name, values in arrays.items()}
    for name, values in little.items():
        assert len(name) <= NAME_BYTES, name
        dims = [*values.shape, *([0] * (MOST_DIMENSIONS - values.ndim))]
        entries.append(struct.pack("<24sIIQQQQ", name.encode("ascii"), values.ndim, 0, *dims, offset))
        offset += values.nbytes
        checksum = zlib.crc32(values.tobytes(), checksum)
    with whole_file(path) as temporary, open(temporary, "wb") as file:
        names = zlib.crc32(b"".join(entries))
        file.write(struct.pack("<8sIIQII", MAGIC, len(arrays), begin, offset - begin, checksum, names))
        file.writelines(entries)
        for values in little.values():
            file.write(values.tobytes())
    return checksum
