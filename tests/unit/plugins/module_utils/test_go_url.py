# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Parsing and writing URLs as Go does, against outputs of Go itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._go_url import parse_and_format, scheme_of
from hypothesis import given
from hypothesis import strategies as st

GO_URLS = json.loads((Path(__file__).parents[2] / "data" / "go_urls.json").read_text(encoding="utf-8"))

# Text in which the parts of a URL meet, so that hypothesis reaches every branch.
URLISH = st.lists(
    st.one_of(st.sampled_from(["http", "://", ":", "/", "@", "[", "]", "%", "%41", "?", "#", "::1", "%25"]), st.text()),
    max_size=8,
).map("".join)


@pytest.mark.parametrize(("text", "formatted"), GO_URLS, ids=[ascii(text) for text, _formatted in GO_URLS])
def test_formats_as_go_does(text: str, formatted: str | None) -> None:
    assert parse_and_format(text) == formatted


def test_fixture_is_worth_its_name() -> None:
    outcomes = {"error" if formatted is None else formatted == text for text, formatted in GO_URLS}
    assert outcomes == {"error", True, False}
    assert len(GO_URLS) > 300


@given(URLISH)
def test_any_text_is_a_url_or_none(text: str) -> None:
    formatted = parse_and_format(text)
    assert formatted is None or "\x00" not in formatted.partition("#")[0]


@given(URLISH)
def test_formatting_keeps_the_query_as_written(text: str) -> None:
    formatted = parse_and_format(text)
    query = text.partition("#")[0].partition("?")[2]
    assert formatted is None or formatted.partition("#")[0].partition("?")[2] == query


def test_lone_surrogates_do_not_break_it() -> None:
    assert parse_and_format("http://h/?\ud800") == "http://h/?\ud800"


@pytest.mark.parametrize(
    ("text", "scheme"),
    [("HTTPS://h", "https"), ("localhost:5000/x", "localhost"), ("h.example/x:y", ""), ("1a:b", ""), ("", "")],
)
def test_scheme(text: str, scheme: str) -> None:
    assert scheme_of(text) == scheme
