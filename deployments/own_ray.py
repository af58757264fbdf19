"""`serve run` (as `python -m deployments.own_ray run ...`) whose Ray wants no port that another Ray has.

Ray's agent, which starts submitted jobs, listens on port 52365, and where another one has that port, it never takes a
job. `ray start` has an option for it; `ray.init`, and so `serve run`, has none.

And it leaves no process behind, also where `pagemill serve` was killed: Ray's agents would wait another minute for its
other daemons.
"""

from __future__ import annotations

import functools

from ray._private import parameter
from ray.serve.scripts import cli

from configs.descendants import adopt_orphans, end_descendants


def main() -> None:
    """Ray's command, with any free port for the agent, and the end of all processes below it."""
    any_port = functools.partial(parameter.RayParams, dashboard_agent_listen_port=None)
    parameter.RayParams = any_port  # pyright: ignore[reportAttributeAccessIssue]
    adopt_orphans()
    try:
        cli()
    finally:
        end_descendants()


if __name__ == "__main__":
    main()
