"""Campaigns from Python: the search that the command line would run, kept in the same folder."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Unpack

from catenary.errors import InputError
from catenary.spec.given import given_path
from catenary.storage.files import other_files
from dynamics.refusals import refuse_unfit_case
from dynamics.spec.case import case_of
from dynamics.spec.case_input import Line, Pantograph
from optimise.entry.found import FoundDesigns
from optimise.entry.job_keys import CampaignChanges, campaign_job
from optimise.entry.progress_line import ProgressLine
from optimise.record.campaign_folder import CampaignFolder
from optimise.search.campaign import Drive, Interrupted, drive_campaign
from optimise.search.prepare import PreparedCampaign, prepare_campaign
from optimise.search.result import load_result
from optimise.spec.campaign import CampaignSpec
from optimise.spec.jobs import AUTOMATIC, OptimiseJob, campaign_of

__all__ = ["campaign", "campaign_folder", "load_campaign", "prepared_campaign"]

# where campaigns land, in the current folder
CAMPAIGNS = Path("outputs") / "campaigns"


def campaign(
    line: Line,
    pantograph: Pantograph,
    speed_kmh: float,
    *,
    folder: str | Path | None = None,
    **changes: Unpack[CampaignChanges],
) -> FoundDesigns:
    """Search a design space for the best line, as ``catenary optimise`` does, or resume one.

    Designs change the given line symmetrically about mid-span, where its droppers must stand symmetrically. The
    command confirms the best design, compares it with the nominal line off the design point and writes a report;
    run with the same input it does so for a search that was started here.

    Parameters
    ----------
    line, pantograph : spec, name or path
    speed_kmh : float
        Train speed [km/h].
    folder : str or Path, optional
        Where it is kept; not given: ``outputs/campaigns/<campaign>`` in the current folder, and ``campaign`` is
        ``<line>_<design>`` unless named. The same call resumes the search; another search is refused.
    changes
        Other keys, as on the command line: ``design="both"``, ``trials=200``, ``sampler="nsga2"``,
        ``objectives=["sigma", "uplift"]``, ``cluster={"kind": "local", "workers": 4}``.

    Raises
    ------
    InputError
        If a key is not known, values cannot be or do not go together, or the folder holds another search.
    NominalFailedError
        If the nominal line cannot be evaluated.
    Interrupted
        After Ctrl-C; every design that was evaluated is on record, and the message says what resumes the campaign.
    """
    job = campaign_job(line, pantograph, {"speed_kmh": speed_kmh, **changes})
    prepared = prepared_campaign(job, campaign_folder(job) if folder is None else given_path("folder", folder))
    command = shlex.join(["catenary", "optimise", f"resume={prepared.place.path}"])
    progress = ProgressLine(sys.stderr)  # what a script prints is its own
    how = Drive(progress=progress.show, doing=progress.doing, command=command, again="the same call")
    try:
        return FoundDesigns(drive_campaign(prepared, **how))
    except Interrupted as stop:
        raise Interrupted(f"{stop}, or in a shell:\n  {command}") from stop
    finally:
        progress.end()


def campaign_folder(job: OptimiseJob) -> Path:
    """Folder of a campaign whose folder is not named."""
    return CAMPAIGNS / job.campaign_name


def prepared_campaign(job: OptimiseJob, folder: Path) -> PreparedCampaign:
    """Check the campaign of a job once; nothing is written.

    Raises
    ------
    InputError
        If its line hangs slack, its step is too long, an option of its scenarios has no effect (a campaign on record
        may have one), or what `prepare_campaign` finds against it.
    """
    case = case_of(job)
    refuse_unfit_case(case)
    prepared = prepare_campaign(_as_on_record(job, folder), case, folder)
    place = prepared.place
    unused = [] if prepared.is_resumed else [*job.scenarios.unused(job.objectives)]
    if unused:
        raise InputError(unused)
    if not prepared.is_resumed and place.path.exists() and (not place.path.is_dir() or place.foreign_files()):
        raise InputError([other_files(place.path, "campaign")])
    return prepared


def _as_on_record(job: OptimiseJob, folder: Path) -> CampaignSpec:
    """Campaign of a job; one that names no sampler continues with that of the folder's campaign."""
    held = CampaignFolder(folder).sampler_on_record() if job.sampler.kind == "automatic" else None
    if held not in AUTOMATIC:
        return campaign_of(job)
    return campaign_of(job.model_copy(update={"sampler": job.sampler.model_copy(update={"kind": held})}))


def load_campaign(folder: str | Path) -> FoundDesigns:
    """Campaign of a folder as it is on record, whether Python or the command line ran it; it is only read.

    Raises
    ------
    InputError
        If the folder holds no campaign, or its record is lost.
    """
    return FoundDesigns(load_result(given_path("folder", folder)))
