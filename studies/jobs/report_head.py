"""Head of a page that is signed: who made it, its revision, who checked and approved it, by which limits."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from catenary.spec.components import Spec

__all__ = ["SIGNED_FIELDS", "ReportSpec"]

SIGNED_FIELDS = ("author", "revision", "checked", "approved")

Entry = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$")]


class ReportSpec(Spec):
    """What the head of the report says, and the limits of standards that it uses.

    What is left out stays as it is on record in the folder; an empty text clears it.
    """

    author: Entry | None = Field(default=None, description="who made it; empty fields are lines to fill in by hand")
    revision: Entry | None = Field(default=None, description="revision of the document")
    checked: Entry | None = Field(default=None, description="who checked it, and when")
    approved: Entry | None = Field(default=None, description="who approved it, and when")
    limits: Entry | None = Field(
        default=None,
        description="YAML file with the limits of standards, their editions and who confirmed them; without it "
        "conf/standards/contact_force.yaml, recalled and unconfirmed",
    )
