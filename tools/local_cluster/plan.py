# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What the supervisor of a cluster is told to do; it travels as JSON."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Component:
    """A program to run for as long as the cluster is up.

    Attributes:
        name: what its log is called.
        command: program and arguments.
        after: what has to answer before it starts: an https or a unix URL, or nothing.
    """

    name: str
    command: tuple[str, ...]
    after: str = ""


@dataclass(frozen=True)
class Plan:
    """A cluster to run.

    Attributes:
        hostname: the node's host name.
        logs: directory for COMPONENT.log.
        failure: file for the reason, if the supervisor has to give up.
        authority: certificate that https URLs are checked against.
        private: absolute directories that the cluster has for itself, each with the directory that
            is in its place, or nothing for an empty one in memory.
        environment: environment of all components.
        components: what to run, in the order in which it is to start.
    """

    hostname: str
    logs: str
    failure: str
    authority: str
    private: dict[str, str]
    environment: dict[str, str]
    components: tuple[Component, ...]

    def to_json(self) -> str:
        """Return the plan as one line."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Return the plan in a text."""
        data = json.loads(text)
        components = tuple(
            Component(each["name"], tuple(each["command"]), each["after"]) for each in data.pop("components")
        )
        return cls(components=components, **data)
