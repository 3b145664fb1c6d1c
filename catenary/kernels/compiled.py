"""Compile kernels: programs that Python calls, kept on disk, and the parts that these programs are linked from.

Numba makes a program of every function that it compiles, with a wrapper for Python and machine code of its own, also of
those that only compiled functions call. Half of the time to compile a march went there. It decided last digits, too: a
process that had compiled such a function called that copy of it, one that had loaded its caller from disk the copy in
there, and the two could round differently. Here a called kernel is code for its caller to link, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from numba import _dynfunc, njit  # pyright: ignore[reportAttributeAccessIssue]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, StateDict
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.event import register
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from catenary.kernels.kernel_locators import Compiling

__all__ = ["Kernel", "PartCompiler", "kernel"]


class _PartLibrary(JITCodeLibrary):
    """Code of a called kernel: never optimised on its own and never turned into machine code, but linked as it is."""

    def _optimize_final_module(self) -> None:
        """Leave the work to the caller's library, which has this code and all that surrounds it."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Numba's own lowering, into a library to be linked, without wrappers for Python and C."""

    _name = "part_lowering"

    def run_pass(self, state: StateDict) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Lower one signature; its entry point is a name for the linker, and cannot be called."""
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        name, module = lowered.fndesc.qualname, lowered.fndesc.lookup_module()
        entry = _dynfunc.make_function(module, name, "part of a kernel", 0, lowered.env, ())
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = lowered._replace(cfunc=entry)
        return True


class PartCompiler(CompilerBase):
    """Numba's pipeline with the lowering of parts; as ``pipeline_class`` it makes a part of any overload."""

    def define_pipelines(self) -> list[PassManager]:
        """Numba's nopython pipeline, one pass replaced."""
        parts = PassManager("part")
        for each, why in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            parts.add_pass(_PartLowering if each is NativeLowering else each, why)
        parts.finalize()
        return [parts]


class Kernel(CPUDispatcher):
    """Kernel: for other kernels a part to link, for Python a program of its own, made when Python first calls it."""

    def __init__(self, function: FunctionType, options: Mapping[str, object]) -> None:
        super().__init__(
            function, targetoptions={"nopython": True, "boundscheck": None, **options}, pipeline_class=PartCompiler
        )
        self._options = options
        self._program: Any = None

    def __call__(self, *args: object, **named: object) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Call the program."""
        return self.program(*args, **named)

    @property
    def program(self) -> Any:
        """The kernel as Python calls it; what it is compiled to is kept on disk."""
        if self._program is None:
            options: Any = self._options
            self._program = njit(cache=True, **options)(self.py_func)
        return self._program

    @property
    def signatures(self) -> list[Any]:
        """Signatures that Python has called."""
        return self.program.signatures

    @property
    def stats(self) -> Any:
        """What the program was loaded from disk for, and what not."""
        return self.program.stats


def kernel(**options: object) -> Callable[[FunctionType], Any]:
    """Decorate a function that numba compiles, with numba's options: ``@kernel(fastmath={"nsz"})``."""
    return lambda function: Kernel(function, options)


register("numba:compile", Compiling())
