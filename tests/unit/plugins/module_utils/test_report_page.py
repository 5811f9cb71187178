# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A report as tables of text and as a page: complete, and nothing in it is taken for markup."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.filter import report_markdown, report_table
from ansible_collections.getporter.porter.plugins.module_utils._report import report_on
from ansible_collections.getporter.porter.plugins.module_utils._report_page import age_text, markdown_page, text_table
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.unit.plugins.objects import (
    AGENT_CONFIG,
    CLAIM,
    INSTALLED,
    OPERATORS,
    WORK,
    bound,
    claim,
    inventory,
    owned_by,
    record,
)

EMPTY: dict[str, Any] = {"taken_at": "2026-11-30T12:00:00Z", "volumes": [], "agent_configs": [], "leftovers": []}
OTHER = "porter-" + "b" * 32


def full() -> dict[str, Any]:
    found = inventory(
        records=[
            record(volume="pv", plugins='{"azure": "v1.2.0"}'),
            record("waiting", OTHER, ready="false", phase="Pending"),
        ],
        claims=[
            claim(labels=OPERATORS, ownerReferences=[owned_by(AGENT_CONFIG, "legacy")]),
            claim("w", WORK, volume="", ownerReferences=[owned_by(AGENT_CONFIG, "gone")]),
        ],
        volumes=[bound(annotations=INSTALLED)],
        living={AGENT_CONFIG: frozenset({"AgentConfig-legacy"})},
    )
    return report_on(found, 600)


def test_the_tables() -> None:
    assert text_table(full()) == [
        "Agent configs",
        "CONFIG          READY  PHASE    REASON  CLAIM                                    STATE   PLUGINS       AGE",
        f"porter/default  yes    -        -       {CLAIM}  ready   azure v1.2.0  1h",
        f"porter/waiting  no     Pending  -       {OTHER}  absent  -             1h",
        "",
        "Plugin volumes",
        "CLAIM                                           VOLUME  STATE  OWNERS              PLUGINS       SIZE  AGE  "
        "MOUNTED BY  MADE BY          STEPS LEFT",
        f"porter/{CLAIM}  pv      ready  AgentConfig legacy  azure v1.2.0  1Gi   1h   -           Porter Operator  -",
        "",
        "Left over",
        "OBJECT                          WHAT                                SIZE  AGE  REASON                        "
        "                      MUST STAY BECAUSE",
        "PersistentVolumeClaim porter/w  work volume of the Porter Operator  64Mi  1h   "
        "made for one AgentAction, and not removed after it  -",
    ]


def test_what_there_is_none_of_is_said() -> None:
    assert text_table(EMPTY) == ["Agent configs: none", "", "Plugin volumes: none", "", "Left over: none"]


def test_a_prune_has_its_own_tables() -> None:
    row = {"kind": "PersistentVolume", "namespace": None, "name": "pv", "what": "volume"}
    pruned = {
        "changed": True,
        "removed": [{**row, "action": "delete", "reason": "r", "note": None}],
        "kept": [{**row, "kept_because": "b"}],
    }
    assert text_table(pruned) == [
        "Removed",
        "OBJECT               WHAT    ACTION  REASON  NOTE",
        "PersistentVolume pv  volume  delete  r       -",
        "",
        "Kept",
        "OBJECT               WHAT    BECAUSE",
        "PersistentVolume pv  volume  b",
    ]


def test_a_stuck_volume_an_owner_that_is_gone_and_pods_that_nobody_can_see() -> None:
    found = inventory(
        claims=[claim(phase="Lost", ownerReferences=[owned_by(AGENT_CONFIG, "a"), owned_by(("v1", "ConfigMap"), "b")])],
        pods=None,
        living={AGENT_CONFIG: frozenset()},
    )
    line = text_table(report_on(found, 600))[4]
    assert "absent (stuck)  AgentConfig a (gone), ConfigMap b (?)" in line
    assert " ?  " in line
    assert "delete the plugin claim whose volume is lost; create" in line


def test_the_graph_leads_from_configs_over_claims_to_volumes() -> None:
    page = markdown_page(full(), "T")
    graph = page[page.index("```mermaid\n") : page.index("\n```\n")].splitlines()
    assert graph == [
        "```mermaid",
        "graph LR",
        '  n0(["porter/default"])',
        f'  n1["porter/{CLAIM}<br/>ready"]',
        '  n2(["porter/waiting<br/>Pending"])',
        f'  n3["porter/{OTHER}"]',
        '  n4(["porter/AgentConfig legacy"])',
        '  n5[("pv<br/>1Gi")]',
        "  n0 --> n1",
        "  n2 --> n3",
        "  n4 --> n1",
        "  n1 --> n5",
    ]


def test_a_page_of_nothing_has_no_graph() -> None:
    page = markdown_page(EMPTY, "Nothing")
    assert "mermaid" not in page
    assert page.count("None.") == 3


NASTY = '|"`<script>&#*_[x](y)~$@!\\\n```\n# end; %%{init}%% --> \x1b[31m;'


def nasty_report(text: str) -> dict[str, Any]:
    stands = record(message=text, reason=text, phase=text, ready="false")
    stands["data"].update(name=text, plugins="{}")
    found = inventory(records=[stands], claims=[claim(ownerReferences=[owned_by(AGENT_CONFIG, text)])])
    return report_on(found, 600)


def rendered(page: str) -> list[list[str]]:
    """The cells of each row of the first table, as GitHub's Markdown shows them."""
    shown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(page)
    table = shown[shown.index("<table>") : shown.index("</table>")]
    rows = re.findall("<tr>(.*?)</tr>", table, re.DOTALL)
    return [[html.unescape(cell) for cell in re.findall("<t[hd]>(.*?)</t[hd]>", row, re.DOTALL)] for row in rows]


def on_one_line(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split(" ")).strip()


@given(st.one_of(st.just(NASTY), st.text(min_size=1).filter(on_one_line)))
def test_whatever_stands_in_a_record_is_shown_as_it_is(text: str) -> None:
    page = markdown_page(nasty_report(text), text)
    headings, cells = rendered(page)
    assert len(cells) == len(headings)
    assert on_one_line(cells[3]) == on_one_line(text)
    # In the graph: quoted, on one line, and nothing but letters and what Mermaid takes as it is between the quotes.
    graph = page[page.index("graph LR") : page.index("\n```\n")].splitlines()[1:]
    for line in graph:
        assert re.fullmatch(r'  n\d+ --> n\d+|  n\d+[\[(]+"(?:[\w /.(),#;-]|<br/>)*"[\])]+', line), line


@given(st.text())
def test_no_line_of_a_table_breaks_or_commands_a_terminal(text: str) -> None:
    for line in text_table(nasty_report(text)):
        assert line.isprintable()


@pytest.mark.parametrize(
    "seconds, text",
    [(0, "0s"), (59, "59s"), (60, "1m"), (61, "1m1s"), (3599, "59m59s"), (3600, "1h"), (90061, "1d1h"), (86400, "1d")],
)
def test_an_age(seconds: int, text: str) -> None:
    assert age_text(seconds) == text


def test_the_filters() -> None:
    table = report_table.FilterModule().filters()["report_table"]
    page = report_markdown.FilterModule().filters()["report_markdown"]
    assert table(EMPTY) == text_table(EMPTY)
    assert page(EMPTY) == markdown_page(EMPTY, "Porter plugins")
    assert page(EMPTY, "Mine").startswith("# Mine\n")
