"""The dozen functions of an FMU's library that a co-simulation needs, for FMI 2 and 3, by ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint32, c_void_p
from typing import Any

from dynamics.pantograph.fmu.archive import Archive, FmuError

__all__ = ["Instance"]

COSIMULATION = 1
LAST_GOOD = 1  # status: 0 is ok, 1 a warning
LOG_2 = CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_char_p, c_char_p)  # what follows the text is for printf
LOG_3 = CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p)
ALLOCATE = CFUNCTYPE(c_void_p, c_size_t, c_size_t)
FREE = CFUNCTYPE(None, c_void_p)


class _Callbacks(Structure):
    _fields_ = (
        ("logger", LOG_2),
        ("allocate", ALLOCATE),
        ("free", FREE),
        ("finished", c_void_p),
        ("environment", c_void_p),
    )


class Instance:
    """One instance of an FMU between initialisation and end, stepped in time.

    Parameters
    ----------
    archive : Archive
    values : dict of str to float
        Set before initialisation.
    inputs : dict of str to float
        Set while it is initialised.

    Raises
    ------
    FmuError
        If a function fails.
    """

    def __init__(self, archive: Archive, values: dict[str, float], inputs: dict[str, float] | None = None) -> None:
        self._archive, self._time, self._said = archive, 0.0, ""
        try:
            self._library = ctypes.CDLL(str(archive.library))
        except OSError as error:
            raise FmuError(f"has a library that cannot be loaded: {error}") from error
        self._names = {
            name: f"fmi{archive.version}{own}"
            for name, own in {
                "set": "SetReal" if archive.version == 2 else "SetFloat64",
                "get": "GetReal" if archive.version == 2 else "GetFloat64",
                "step": "DoStep",
                "free": "FreeInstance",
                "end": "Terminate",
                "enter": "EnterInitializationMode",
                "leave": "ExitInitializationMode",
            }.items()
        }
        self._component = c_void_p(self._instantiate_2() if archive.version == 2 else self._instantiate_3())
        if not self._component:
            raise FmuError(f"could not be instantiated{self._why}")
        self._functions = {name: self._function(own) for name, own in self._names.items()}
        self._begin(values, inputs or {})

    @property
    def _why(self) -> str:
        return f": {self._said}" if self._said else ""

    def _function(self, name: str) -> Any:
        try:
            return getattr(self._library, name)
        except AttributeError:
            raise FmuError(f"has a library without {name}") from None

    def _note(self, text: bytes | None) -> None:
        self._said = " ".join((text or b"").decode("utf-8", "replace").split())[:200] or self._said

    def _instantiate_2(self) -> int | None:
        libc = ctypes.CDLL(None)
        self._log_2 = LOG_2(lambda environment, name, status, category, text: self._note(text))
        allocate, free = ctypes.cast(libc.calloc, ALLOCATE), ctypes.cast(libc.free, FREE)
        self._callbacks = _Callbacks(self._log_2, allocate, free, None, None)
        function = self._function("fmi2Instantiate")
        function.restype = c_void_p
        function.argtypes = [c_char_p, c_int, c_char_p, c_char_p, POINTER(_Callbacks), c_int, c_int]
        place = self._archive.resources.as_uri().encode()
        return function(b"pantograph", COSIMULATION, self._archive.token.encode(), place, byref(self._callbacks), 0, 0)

    def _instantiate_3(self) -> int | None:
        self._log_3 = LOG_3(lambda environment, status, category, text: self._note(text))
        function = self._function("fmi3InstantiateCoSimulation")
        function.restype = c_void_p
        flags = [c_bool] * 4
        function.argtypes = [c_char_p] * 3 + flags + [c_void_p, c_size_t, c_void_p, LOG_3, c_void_p]
        place = f"{self._archive.resources}/".encode()
        token, no = self._archive.token.encode(), [False] * 4
        return function(b"pantograph", token, place, *no, None, 0, None, self._log_3, None)

    def _call(self, name: str, *arguments: object) -> None:
        status = self._functions[name](self._component, *arguments)
        if status > LAST_GOOD:
            raise FmuError(f"failed in {self._names[name]} at {self._time:.4f} s with status {status}{self._why}")

    def _begin(self, values: dict[str, float], inputs: dict[str, float]) -> None:
        initial = {n: v for n, v in values.items() if n in self._archive.references}
        if self._archive.version == 2:
            set_up = self._function("fmi2SetupExperiment")
            if set_up(self._component, 0, c_double(0.0), c_double(0.0), 0, c_double(0.0)) > LAST_GOOD:
                raise FmuError(f"failed in fmi2SetupExperiment{self._why}")
            self.set(list(initial), list(initial.values()))
            self._call("enter")
        else:
            self.set(list(initial), list(initial.values()))
            self._call("enter", c_bool(False), c_double(0.0), c_double(0.0), c_bool(False), c_double(0.0))
        self.set(list(inputs), list(inputs.values()))
        self._call("leave")

    def _references(self, names: Sequence[str]) -> Any:
        return (c_uint32 * len(names))(*(self._archive.references[name] for name in names))

    def set(self, names: Sequence[str], values: Sequence[float]) -> None:
        """Set real variables by name."""
        if names:
            self._move("set", names, (c_double * len(names))(*values))

    def get(self, names: Sequence[str]) -> tuple[float, ...]:
        """Values of real variables by name."""
        found = (c_double * len(names))()
        self._move("get", names, found)
        return tuple(found)

    def _move(self, which: str, names: Sequence[str], values: ctypes.Array[c_double]) -> None:
        count = c_size_t(len(names))
        last = (count,) if self._archive.version == 3 else ()
        self._call(which, self._references(names), count, values, *last)

    def step(self, dt: float) -> None:
        """Advance by dt [s]."""
        time, length = c_double(self._time), c_double(dt)
        if self._archive.version == 2:
            self._call("step", time, length, c_int(1))
        else:
            asked, ended, early, reached = c_bool(False), c_bool(False), c_bool(False), c_double(self._time)
            self._call("step", time, length, c_bool(True), byref(asked), byref(ended), byref(early), byref(reached))
            if ended.value or early.value:
                raise FmuError(f"ended its step early at {reached.value:.4f} s")
        self._time += dt

    def close(self) -> None:
        """End the instance and free what it holds."""
        self._call("end")
        self._functions["free"].restype = None
        self._functions["free"](self._component)
