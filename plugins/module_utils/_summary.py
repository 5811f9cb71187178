# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The closing table: a row for each agent config. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._table import aligned

_COLUMNS = ("CONFIG", "CLAIM", "VOLUME", "PLUGINS", "STATE", "SECONDS")


def summarize(configs: Sequence[Mapping[str, Any]], results: Iterable[Mapping[str, Any]]) -> list[str]:
    """The lines of the table, out of the observed configs and the modules' results in the order of their tasks."""
    known: dict[str, dict[str, Any]] = {}
    kept: dict[str, list[str]] = {}
    for result in results:
        for row in result.get("agent_configs") or []:
            kept["%s/%s" % (row["namespace"], row["name"])] = row.get("kept_volumes") or []
        for row in result.get("volumes") or []:
            _take_in(known.setdefault("%s/%s" % (row["namespace"], row["claim"]), {"seconds": 0.0}), row)
    return aligned([_COLUMNS] + [_row(config, known, kept) for config in configs])


def _take_in(known: dict[str, Any], row: Mapping[str, Any]) -> None:
    """A later task knows better, but not what it did not look at; the seconds add up."""
    seconds = known["seconds"] + (row.get("seconds") or 0.0)
    known.update({key: value for key, value in row.items() if value not in (None, {}, [])})
    known["seconds"] = seconds


def _row(
    config: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]], kept: Mapping[str, Sequence[str]]
) -> Sequence[str]:
    name = "%s/%s" % (config["namespace"], config["name"])
    if not config["claim"]:
        volumes = ", ".join("%s (kept)" % each for each in kept.get(name, ()))
        return (name, "-", volumes or "-", "none", config["state"] if config["state"] == "absent" else "ready", "0.0")
    row = known.get("%s/%s" % (config["namespace"], config["claim"]), {})
    plugins = ", ".join("%s %s" % item for item in sorted((row.get("installed") or {}).items()))
    state = "failed" if row.get("error") else row.get("state", "unknown")
    return (
        name,
        config["claim"],
        row.get("persistent_volume") or "-",
        # A volume that something else made, such as the Porter Operator, has no note of what is on it.
        plugins or ("unknown" if state == "ready" else "-"),
        state,
        "%.1f" % row.get("seconds", 0.0),
    )
