"""A driver in a process of its own: folder, name of the evaluation, campaign as JSON."""

import json
import sys
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]

import cheap_evaluation  # noqa: E402 - found in the folder put on the path above

from catenary.errors import InputError  # noqa: E402
from optimise.search.campaign import Interrupted, run_campaign  # noqa: E402


def main():
    warnings.simplefilter("error")
    folder, name, content = sys.argv[1:]
    campaign = cheap_evaluation.campaign_of(**json.loads(content))
    try:
        run_campaign(
            campaign,
            cheap_evaluation.case_of(),
            Path(folder),
            progress=lambda p: print(p.done, flush=True),
            evaluate=getattr(cheap_evaluation, name),
            prepare=cheap_evaluation.prepare_nothing,
        )
    except Interrupted as stop:
        print(stop)
        return stop.exit_code
    except InputError as refused:
        print(refused)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
