# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A report, or the result of a prune, for people: as tables of text, and as a Markdown page with a graph. Pure.

Private to the collection: not a public interface.

What it shows is written by many: names and messages go through an escape for wherever they stand.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, List, Mapping, NamedTuple, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._table import aligned

Report = Mapping[str, Any]
Row = Mapping[str, Any]
Cells = List[str]


class _Section(NamedTuple):
    """A key of a result, its title, and how its rows become cells below these headings."""

    key: str
    title: str
    headings: Sequence[str]
    cells: Callable[[Row], Cells]


def text_table(report: Report) -> list[str]:
    """The lines of one table for each part that the result has."""
    lines: list[str] = []
    for section in _SECTIONS:
        rows = report.get(section.key)
        if rows is None:
            continue
        lines += [""] if lines else []
        lines.append(section.title if rows else section.title + ": none")
        if rows:
            cells = [[_printable(cell) for cell in section.cells(row)] for row in rows]
            lines += aligned([[heading.upper() for heading in section.headings], *cells])
    return lines


def markdown_page(report: Report, title: str) -> str:
    """A page of GitHub's Markdown: the graph of agent configs, plugin claims and volumes, and the tables."""
    parts = ["# %s" % _markdown(title)]
    if report.get("taken_at"):
        parts.append("Taken at %s." % _markdown(report["taken_at"]))
    if report.get("volumes") or report.get("agent_configs"):
        parts.append("```mermaid\n%s\n```" % "\n".join(_graph(report)))
    for section in _SECTIONS:
        if report.get(section.key) is not None:
            parts.append("## %s" % section.title)
            parts.append(_markdown_table(section, report[section.key]))
    return "\n\n".join(parts) + "\n"


def _markdown_table(section: _Section, rows: Sequence[Row]) -> str:
    if not rows:
        return "None."
    lines = [section.headings, ["---"] * len(section.headings)]
    lines += [[_markdown(cell) for cell in section.cells(row)] for row in rows]
    return "\n".join("| %s |" % " | ".join(line) for line in lines)


def _volume_cells(row: Row) -> Cells:
    return [
        "%s/%s" % (row["namespace"], row["claim"]),
        row["persistent_volume"] or "-",
        row["state"] + (" (stuck)" if row["stuck"] else ""),
        ", ".join(_owner(owner) for owner in row["owners"]) or "-",
        _plugins(row["installed"]),
        row["size"] or "-",
        age_text(row["age"]),
        "?" if row["mounted_by"] is None else ", ".join(row["mounted_by"]) or "-",
        row["made_by"],
        "; ".join(row["steps"]) or "-",
    ]


def _config_cells(row: Row) -> Cells:
    return [
        "%s/%s" % (row["namespace"], row["name"]),
        "yes" if row["ready"] else "no",
        row["phase"] or "-",
        row["reason"] or "-",
        row["claim"] or "-",
        row["claim_state"] or "-",
        _plugins(row["installed"]),
        age_text(row["age"]),
    ]


def _leftover_cells(row: Row) -> Cells:
    name = [_object(row), row["what"], row["size"] or "-", age_text(row["age"]), row["reason"]]
    return [*name, row["kept_because"] or "-"]


def _removed_cells(row: Row) -> Cells:
    return [_object(row), row["what"], row["action"], row["reason"], row["note"] or "-"]


def _kept_cells(row: Row) -> Cells:
    return [_object(row), row["what"], row["kept_because"] or "-"]


_SECTIONS = (
    _Section(
        "agent_configs",
        "Agent configs",
        ("Config", "Ready", "Phase", "Reason", "Claim", "State", "Plugins", "Age"),
        _config_cells,
    ),
    _Section(
        "volumes",
        "Plugin volumes",
        ("Claim", "Volume", "State", "Owners", "Plugins", "Size", "Age", "Mounted by", "Made by", "Steps left"),
        _volume_cells,
    ),
    _Section(
        "leftovers", "Left over", ("Object", "What", "Size", "Age", "Reason", "Must stay because"), _leftover_cells
    ),
    _Section("removed", "Removed", ("Object", "What", "Action", "Reason", "Note"), _removed_cells),
    _Section("kept", "Kept", ("Object", "What", "Because"), _kept_cells),
)


def _object(row: Row) -> str:
    name = "%s/%s" % (row["namespace"], row["name"]) if row["namespace"] else row["name"]
    return "%s %s" % (row["kind"], name)


def _owner(owner: Row) -> str:
    signs = {True: "", False: " (gone)", None: " (?)"}
    return "%s %s%s" % (owner["kind"], owner["name"], signs[owner["exists"]])


def _plugins(installed: Mapping[str, str]) -> str:
    return ", ".join("%s %s" % item for item in sorted(installed.items())) or "-"


def age_text(seconds: int) -> str:
    """The two largest units of an age, such as 3d4h."""
    units = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))
    for (large, size), (small, rest) in zip(units, units[1:]):
        if seconds >= size:
            tail = seconds % size // rest
            return "%d%s%s" % (seconds // size, large, "%d%s" % (tail, small) if tail else "")
    return "%ds" % seconds


def _graph(report: Report) -> Iterable[str]:
    """Agent configs and other owners, the claims that they want or own, and the volumes behind these."""
    nodes = _Nodes()
    edges: dict[str, None] = {}
    for row in report.get("agent_configs") or []:
        config = nodes.of("config", row["namespace"], row["name"], "" if row["ready"] else row["phase"] or "not ready")
        if row["claim"]:
            edges["%s --> %s" % (config, nodes.of("claim", row["namespace"], row["claim"]))] = None
    for row in report.get("volumes") or []:
        claim = nodes.of("claim", row["namespace"], row["claim"], row["state"])
        for owner in _shown_owners(row):
            edges["%s --> %s" % (nodes.of("owner", row["namespace"], _owner(owner)), claim)] = None
        if row["persistent_volume"]:
            edges["%s --> %s" % (claim, nodes.of("volume", "", row["persistent_volume"], row["size"] or ""))] = None
    yield "graph LR"
    yield from ("  " + line for line in (*nodes.lines(), *edges))


def _shown_owners(row: Row) -> list[Row]:
    """Owners other than the records, which are there as agent configs."""
    return [owner for owner in row["owners"] if owner["kind"] != "ConfigMap" or not owner["exists"]]


_BOXES = {"config": '(["%s"])', "owner": '(["%s"])', "claim": '["%s"]', "volume": '[("%s")]'}


class _Nodes:
    """The nodes of the graph: an id for each, and what its box says. What comes later knows better."""

    def __init__(self) -> None:
        self._ids: dict[tuple[str, str, str], str] = {}
        self._texts: dict[str, str] = {}

    def of(self, sort: str, namespace: str, name: str, more: str = "") -> str:
        """The id of the node."""
        found = self._ids.setdefault((sort, namespace, name), "n%d" % len(self._ids))
        if more or found not in self._texts:
            shown = "%s/%s" % (namespace, name) if namespace else name
            text = _mermaid(shown) + ("<br/>" + _mermaid(more) if more else "")
            self._texts[found] = _BOXES[sort] % text
        return found

    def lines(self) -> list[str]:
        """One line for each node."""
        return [node + text for node, text in self._texts.items()]


def _printable(text: str) -> str:
    """On one line, without what a terminal would take for a command."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _markdown(text: str) -> str:
    """Text that means nothing to Markdown, in a table as elsewhere."""
    return "".join("&#%d;" % ord(sign) if sign in "&<>|\\`*_[]~$#@!" else sign for sign in _printable(text))


def _mermaid(text: str) -> str:
    """Text in quotation marks of a Mermaid graph; its entities begin with a number sign alone."""
    return "".join(sign if sign.isalnum() or sign in " /._-()," else "#%d;" % ord(sign) for sign in _printable(text))
