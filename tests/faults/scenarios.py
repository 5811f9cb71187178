# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What is disturbed: one entry here makes all of its cases.

A new scenario needs nothing but its entry. Its points are found by running it undisturbed, and what that run ends in
is what every disturbed one must end in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Stands for the address of the case's channel of the feed.
CHANNEL = "CHANNEL"
ANOTHER_SET = {"kubernetes": {"version": "v1.0.1", "feedURL": f"{CHANNEL}/plugins/atom.xml"}}
INSTALL_PLUGINS = "getporter.porter.install_plugins"
RUN_ACTION = "getporter.porter.run_action"
# The role of each playbook, which its variables begin with.
ROLES = {INSTALL_PLUGINS: "porter_plugins", RUN_ACTION: "porter_action"}


@dataclass(frozen=True)
class Play:
    """A run of a playbook. ``variables`` go without the role's prefix, and replace those that all runs have."""

    variables: Mapping[str, Any] = field(default_factory=dict)
    playbook: str = INSTALL_PLUGINS


@dataclass(frozen=True)
class NewVersion:
    """From now on, this is the plugin's newest version in the feed."""

    plugin: str
    version: str


@dataclass(frozen=True)
class Scenario:
    """``before`` comes undisturbed; ``disturbed`` meets the fault; once it is killed, ``after_kill`` has to finish it.

    By default that is the same run again. Another one finishes what was begun, but does not begin it: killed before
    its first write, the disturbed run is as if it had never been.

    In the end there are so many plugin claims, each with its volume, and so many Jobs have completed, those of
    ``before`` included: installs, and actions.
    """

    disturbed: Play
    before: tuple[Play | NewVersion, ...] = ()
    after_kill: Play | None = None
    claims: int = 1
    jobs: int = 1
    # Another scenario that goes the first part of the way: the points that both have are disturbed there.
    beyond: str | None = None


def _of(*names: str) -> Play:
    return Play({"agent_configs": [{"name": name} for name in names]})


def _changed(name: str) -> Play:
    """The agent config with another plugin set."""
    return Play({"agent_configs": [{"name": name, "plugins": ANOTHER_SET}]})


def _absent(*names: str) -> Play:
    return Play({"agent_configs": [{"name": name, "state": "absent"} for name in names]})


SCENARIOS: dict[str, Scenario] = {
    "install": Scenario(Play()),
    "second-install": Scenario(Play(), before=(Play(),)),
    # A refresh that is asked for again is one more, so that a run without the wish has to finish a killed one.
    "refresh": Scenario(
        Play({"refresh": True}),
        before=(Play(), NewVersion("kubernetes", "v1.0.3")),
        after_kill=Play(),
        jobs=2,
    ),
    "join": Scenario(_of("b"), before=(_of("a"),)),
    "change": Scenario(_changed("a"), before=(_of("a"),), jobs=2, beyond="install"),
    "remove-one": Scenario(_absent("a"), before=(_of("a", "b"),)),
    "remove-last": Scenario(_absent("a", "b"), before=(_of("a", "b"),), claims=0),
    # Once and no more, whatever happens.
    "action": Scenario(
        Play({"name": "once", "args": ["plugins", "list", "-o", "json"], "files": {"a.yaml": "a: 1"}}, RUN_ACTION),
        before=(Play(),),
        jobs=2,
    ),
}
