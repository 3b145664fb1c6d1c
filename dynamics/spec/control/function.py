"""Validated description of a controller that is a Python function of the user's."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dynamics.spec.control.given_file import AskedFile

__all__ = ["FunctionSpec"]


class FunctionSpec(AskedFile):
    """A Python function ``force = function(t, measured, memory)``, asked once a control step of an open-line run.

    ``t`` is the time from the start of the run [s]. ``measured`` is a dict: ``contact_force`` [N], ``height`` [m],
    ``velocity`` [m/s] and ``acceleration`` [m/s2] of the head, upwards, and ``station`` of the pantograph [m].
    ``memory`` is a dict that it may write to, one a pantograph; at the start it holds ``step``, the control step [s],
    and ``reference``, that of the controller [N, m, m/s2].
    """

    function: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")] = Field(
        default="control", description="name of the function in the file"
    )

    @property
    def in_words(self) -> str:
        """Its name, its file and what that holds, in a few words."""
        return f"{self.function} of {super().in_words}"
