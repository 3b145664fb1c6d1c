"""A driver in a process of its own: folder, name of the evaluation, campaign as JSON."""

import json
import sys
import warnings
from pathlib import Path

import cheap_evaluation

from catenary.errors import InputError
from optimise.search.campaign import Interrupted, run_campaign


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
