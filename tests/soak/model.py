# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The rounds of the soak, and what the cluster must hold after each: the model that it is compared with. Pure."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.faults.kinds import ERRORS, KILLS

Manifest = dict[str, Any]

AGENT_CONFIGS = tuple("abcdefghij")
# Plugin sets by name: plugin to version.
PLUGIN_SETS: Mapping[str, Mapping[str, str]] = {
    "A": {"kubernetes": "v1.0.1"},
    "B": {"azure": "v1.2.0"},
    "C": {"kubernetes": "v1.0.0"},
    "D": {"azure": "v1.2.0", "kubernetes": "v1.0.1"},
}
NO_PLUGINS, ABSENT = "none", "absent"
WISHES = (*PLUGIN_SETS, NO_PLUGINS, ABSENT)
# Agent config to the name of its plugin set, or to one of the words above.
Wishes = Mapping[str, str]

# How many agent configs a run takes. All of them with few wishes is what ends plugin volumes, and so begins others.
_SIZES = (1, 1, 2, 3, 4, len(AGENT_CONFIGS))
# The last request that a fault may strike at: most requests of a run come early, and not all runs are long.
_LAST_TURNS = {True: (6, 15, 40), False: (3, 8, 16)}


@dataclass(frozen=True)
class Round:
    """What one round does: the run of ``wishes``, and what disturbs it."""

    wishes: Wishes
    # At the same time, a run for other agent configs.
    beside: Wishes = field(default_factory=dict)
    # What happens to the run of ``wishes``, at which of its requests: of those that write, where it is an error.
    fault: str | None = None
    turn: int = 0
    # The clean run that comes after a kill: the same agent configs, perhaps with other wishes.
    again: Wishes = field(default_factory=dict)

    def after(self, before: Wishes) -> Wishes:
        """What is wanted when it has ended. Absent agent configs are left out."""
        everything = {**before, **self.wishes, **self.beside, **self.again}
        return {name: wish for name, wish in everything.items() if wish != ABSENT}

    def installs(self, before: Wishes) -> range:
        """How many install Jobs may complete in it: one for each new plugin set, and none for one that stays in use.

        Where two runs go side by side, or a killed one is followed by another wish, a plugin set may also come and go
        on the way.
        """
        new = _sets(self.after(before)) - _sets(before)
        passing: set[str] = set()
        if self.beside or self.again not in ({}, self.wishes):
            passing = {wish for wishes in self._runs() for wish in _sets(wishes)} - self._kept(before)
        return range(len(new), len(new | passing) + 1)

    def _kept(self, before: Wishes) -> set[str]:
        """The plugin sets that some agent config has throughout."""
        return {wish for name, wish in before.items() if all(wishes.get(name, wish) == wish for wishes in self._runs())}

    def _runs(self) -> Sequence[Wishes]:
        return (self.wishes, self.beside, self.again)

    def __str__(self) -> str:
        story = words(self.wishes)
        if self.fault:
            story += f", {self.fault} at its {'request' if self.fault in KILLS else 'write'} {self.turn}"
        if self.beside:
            story += f"; beside it {words(self.beside)}"
        if self.again:
            story += f"; then {'the same' if self.again == self.wishes else words(self.again)}"
        return story


def rounds(seed: int) -> Iterator[Round]:
    """Round after round, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 (it chooses tests)
    while True:
        yield _draw(chance)


def farewell() -> Round:
    """The last round: nothing may be left."""
    return Round(dict.fromkeys(AGENT_CONFIGS, ABSENT))


def _draw(chance: random.Random) -> Round:
    names = chance.sample(AGENT_CONFIGS, chance.choice(_SIZES))
    wishes = _draw_wishes(chance, names)
    others = [name for name in AGENT_CONFIGS if name not in names]
    beside = chance.sample(others, min(len(others), chance.choice((0, 0, 1, 3))))
    kind = chance.choice(("none", "kill", "kill", "error"))
    fault = {"none": None, "kill": chance.choice(KILLS), "error": chance.choice(ERRORS)}[kind]
    turn = chance.randint(1, chance.choice(_LAST_TURNS[fault in KILLS]))
    again = chance.choice((wishes, wishes, _draw_wishes(chance, names)))
    return Round(
        wishes=wishes,
        beside=_draw_wishes(chance, beside),
        fault=fault,
        turn=turn if fault else 0,
        again=again if fault in KILLS else {},
    )


def _draw_wishes(chance: random.Random, names: Sequence[str]) -> Wishes:
    """Few different ones, so that many agent configs share, come and leave together."""
    menu = chance.sample(WISHES, 2)
    return {name: chance.choice(menu) for name in names}


def _sets(wishes: Wishes) -> set[str]:
    return {wish for wish in wishes.values() if wish in PLUGIN_SETS}


def words(wishes: Wishes) -> str:
    """Who is to have what, in a few of them."""
    return " ".join(f"{name}={wish}" for name, wish in sorted(wishes.items()))


def expected_state(wishes: Wishes, claims: Mapping[str, str]) -> Manifest:
    """What must be there where just this is wanted. ``claims``: plugin set to the name of its plugin claim."""
    owners: dict[str, list[str]] = {}
    for name, wish in sorted(wishes.items()):
        if wish in PLUGIN_SETS:
            owners.setdefault(claims[wish], []).append(name)
    return {
        "records": {name: _expected_record(wish, claims) for name, wish in wishes.items()},
        "claims": {claim: {"phase": "Bound", "owners": names} for claim, names in owners.items()},
        "volumes": [_volume(claim, "Bound", "Delete") for claim in sorted(owners)],
        "leftovers": [],
    }


def _expected_record(wish: str, claims: Mapping[str, str]) -> Manifest:
    claim = claims.get(wish, "")
    return {
        "ready": "true",
        "phase": "Ready",
        "claim": claim,
        "volume": _volume(claim, "Bound", "Delete") if claim else "",
        "plugins": dict(PLUGIN_SETS.get(wish, {})),
    }


def observed_state(
    claims: Sequence[Manifest], volumes: Sequence[Manifest], records: Sequence[Manifest], leftovers: Sequence[str]
) -> Manifest:
    """What there is, in the form of ``expected_state``: uids and the names of volumes become what they stand for."""
    configs = {record["metadata"]["uid"]: record["data"]["name"] for record in records}
    places = {volume["metadata"]["name"]: _place(volume, claims) for volume in volumes}
    return {
        "records": {record["data"]["name"]: _observed_record(record["data"], places) for record in records},
        "claims": {claim["metadata"]["name"]: _observed_claim(claim, configs) for claim in claims},
        "volumes": sorted(places.values()),
        "leftovers": sorted(leftovers),
    }


def _observed_record(data: Mapping[str, str], places: Mapping[str, str]) -> Manifest:
    volume = data["volume"]
    return {
        "ready": data["ready"],
        "phase": data["phase"],
        "claim": data["claim"],
        "volume": places.get(volume, volume),
        "plugins": json.loads(data["plugins"]),
    }


def _observed_claim(claim: Manifest, configs: Mapping[str, str]) -> Manifest:
    metadata = claim["metadata"]
    owners = [
        configs.get(each["uid"], f"{each['name']}, which is gone") for each in metadata.get("ownerReferences") or []
    ]
    phase = "being deleted" if metadata.get("deletionTimestamp") else claim["status"]["phase"]
    return {"phase": phase, "owners": sorted(owners)}


def _place(volume: Manifest, claims: Sequence[Manifest]) -> str:
    """Where a volume belongs: the claim's uid is what counts."""
    uid = (volume["spec"].get("claimRef") or {}).get("uid")
    names = [claim["metadata"]["name"] for claim in claims if claim["metadata"]["uid"] == uid]
    name = names[0] if names else f"no claim ({volume['metadata']['name']})"
    phase = "being deleted" if volume["metadata"].get("deletionTimestamp") else volume["status"]["phase"]
    return _volume(name, phase, volume["spec"]["persistentVolumeReclaimPolicy"])


def _volume(claim: str, phase: str, policy: str) -> str:
    return f"of {claim}: {phase}, {policy}"
