# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What a namespace and its volumes look like in the end, with nothing in it that differs between equal runs."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

Manifest = dict[str, Any]

# What the cluster makes up, or counts.
_FLEETING = (
    "uid",
    # Of an action's record: its name ends in what the cluster draws.
    "pod",
    "lastChange",
    "resourceVersion",
    "creationTimestamp",
    "managedFields",
    "generation",
    "lastPhaseTransitionTime",
)
# Longest first: the digits of one are part of another.
_DIGESTS = (
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "UID"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "SHA256"),
    (re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"), "MD5"),
    (re.compile(r"(?<=[-_])[0-9a-f]{10}\b"), "DIGITS"),
)


def end_state(
    claims: Sequence[Manifest],
    volumes: Sequence[Manifest],
    records: Sequence[Manifest],
    leftovers: Sequence[str],
    names: Mapping[str, str],
) -> Manifest:
    """The state, to compare with that of another namespace.

    Args:
        claims: the claims of the namespace.
        volumes: the volumes that name one of its claims.
        records: the records of its agent configs and named actions.
        leftovers: what else there is.
        names: what is called differently there, such as the namespace, to what it is called here.
    """
    aliases = dict(names)
    for item in (*claims, *records):
        # So that another object of the same name is not taken for this one, by a volume or by an owner reference.
        aliases[item["metadata"]["uid"]] = f"the uid of {item['metadata']['name']}"
    for volume in volumes:
        aliases[volume["metadata"]["name"]] = "VOLUME"
    state = {
        "claims": [_with_owners(claim) for claim in claims],
        "volumes": [_with_claim(volume) for volume in volumes],
        "records": [_lasting(record) for record in records],
        "leftovers": list(leftovers),
    }
    plain: Manifest = json.loads(_plain(json.dumps(state), aliases))
    return {kind: sorted(items, key=json.dumps) for kind, items in plain.items()}


def difference(expected: Manifest, found: Manifest, titles: tuple[str, str]) -> str:
    """Between two states, for people: a unified diff, with a title for each."""
    return "\n".join(difflib.unified_diff(_lines(expected), _lines(found), *titles, lineterm=""))


def _lines(state: Manifest) -> list[str]:
    return json.dumps(state, indent=1, sort_keys=True).splitlines()


def _with_owners(claim: Manifest) -> Manifest:
    """Their uids, in no order: who came first depends on the course of things."""
    lasting: Manifest = _lasting(claim)
    owners = lasting["metadata"].pop("ownerReferences", [])
    uids = [each["uid"] for each in claim["metadata"].get("ownerReferences") or []]
    return {**lasting, "owners": sorted([each["name"], uid] for each, uid in zip(owners, uids, strict=True))}


def _with_claim(volume: Manifest) -> Manifest:
    """The uid in claimRef is the one that matters."""
    lasting: Manifest = _lasting(volume)
    owner = volume["spec"].get("claimRef") or {}
    return {**lasting, "owner": owner.get("uid")}


def _lasting(item: Any) -> Any:
    if isinstance(item, dict):
        return {key: _lasting(value) for key, value in item.items() if key not in _FLEETING and value is not None}
    if isinstance(item, list):
        return [_lasting(each) for each in item]
    return item


def _plain(text: str, aliases: Mapping[str, str]) -> str:
    for name in sorted(aliases, key=len, reverse=True):
        text = text.replace(name, aliases[name])
    for pattern, word in _DIGESTS:
        text = pattern.sub(word, text)
    return text
