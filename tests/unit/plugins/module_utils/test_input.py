# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading what users wrote: plain values, texts, numbers and names."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _input
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._input import (
    choice,
    describe,
    dns_label,
    dns_subdomain,
    documents_from_text,
    mapping_from_text,
    plain,
    text,
    unknown_key,
    whole_number,
)


class TaggedText(str):
    """A str subclass that says something else of itself, as tagged strings may."""

    __slots__ = ()

    def __str__(self) -> str:
        return "tagged"


# Named as in ansible-core before 2.19, where it is no str.
class AnsibleVaultEncryptedUnicode:
    def __str__(self) -> str:
        return "decrypted"


@pytest.mark.parametrize(
    ("value", "expected"), [(TaggedText("x"), "x"), (AnsibleVaultEncryptedUnicode(), "decrypted"), ("x", "x")]
)
def test_plain_text_is_exactly_str(value: Any, expected: str) -> None:
    result = plain(value)
    assert result == expected
    assert {type(result)} == {str}


@pytest.mark.parametrize("value", [1, True, None, {"a": 1}, [1]])
def test_plain_leaves_others_alone(value: Any) -> None:
    assert plain(value) is value


@pytest.mark.parametrize("value", [None, "", " ", "\n"])
def test_blank_text_is_not_set(value: Any) -> None:
    assert text(value, "x") == ""


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1.1, "a number (1.1)"),
        (2, "a number"),
        (True, "a boolean of it (true)"),
        (datetime.date(2023, 1, 24), "a date"),
    ],
)
def test_g04_what_yaml_changed_is_refused(value: Any, kind: str) -> None:
    with pytest.raises(InputError, match="quote it") as caught:
        text(value, "version of x")
    assert caught.value.message.startswith("version of x must be text")
    assert kind.split(" (")[0] in caught.value.message


@pytest.mark.parametrize(("value", "words"), [({}, "a map"), ([], "a list")])
def test_text_refuses_structures(value: Any, words: str) -> None:
    with pytest.raises(InputError, match=f"must be text, not {words}"):
        text(value, "x")


def test_text_refuses_what_is_not_unicode() -> None:
    with pytest.raises(InputError, match="UTF-8"):
        text("\ud800", "x")


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "null"), (True, "a boolean"), (1, "a number"), ("", "text"), ({}, "a map"), ((), "a list"), (b"", "bytes")],
)
def test_describe(value: Any, words: str) -> None:
    assert words in describe(value)


@pytest.mark.parametrize(("value", "number"), [(0, 0), ("0", 0), ("2", 2), (" 6 ", 6), (2**31 - 1, 2**31 - 1)])
def test_f05_numbers_come_as_text_too(value: Any, number: int) -> None:
    result = whole_number(value, "x")
    assert result == number
    assert {type(result)} == {int}


@pytest.mark.parametrize("value", [-1, "-1", True, 1.5, 2.0, "two", "", None, 2**31, "٣"])
def test_other_numbers_are_refused(value: Any) -> None:
    with pytest.raises(InputError, match="whole number from 0"):
        whole_number(value, "x")


def test_choice_suggests_the_right_case() -> None:
    assert choice("Always", "x", ("Always", "Never")) == "Always"
    with pytest.raises(InputError, match=r"one of Always, Never.*Did you mean Always"):
        choice("always", "x", ("Always", "Never"))


@pytest.mark.parametrize("name", ["a", "1dev", "a-b", "a" * 63])
def test_dns_label_accepts(name: str) -> None:
    assert dns_label(name, "x") == name


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a.b", "a_b", "a" * 64, "a\n", "ü"])
def test_dns_label_refuses(name: str) -> None:
    with pytest.raises(InputError, match="RFC 1123 label"):
        dns_label(name, "x")


@pytest.mark.parametrize("name", ["a.b", "a" * 253, "1.2.3", "a-b.c-d"])
def test_dns_subdomain_accepts(name: str) -> None:
    assert dns_subdomain(name, "x") == name


@pytest.mark.parametrize("name", ["", ".a", "a.", "a..b", "a.-b", "A", "a" * 254, "a\n"])
def test_dns_subdomain_refuses(name: str) -> None:
    with pytest.raises(InputError, match="RFC 1123 subdomain"):
        dns_subdomain(name, "x")


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [("customAgent", "customagent"), ("my_agent", "my-agent"), ("-a.-b-", "a.b"), ("A b", "a-b")],
)
def test_g05_names_are_suggested(name: str, suggestion: str) -> None:
    with pytest.raises(InputError) as caught:
        dns_subdomain(name, "x")
    assert caught.value.message.endswith("For example: " + suggestion)
    assert dns_subdomain(suggestion, "x")


@pytest.mark.parametrize("name", ["---", "a" * 254, "ü"])
def test_no_suggestion_where_there_is_none(name: str) -> None:
    with pytest.raises(InputError) as caught:
        dns_subdomain(name, "x")
    assert "For example" not in caught.value.message


@pytest.mark.parametrize(
    ("key", "hint"),
    [("feed", "Did you mean feedURL"), ("URL", "Did you mean url"), (True, "true"), ("zzzzzz", "Known")],
)
def test_unknown_keys_are_named(key: Any, hint: str) -> None:
    message = unknown_key("x", key, ("version", "feedURL", "url")).message
    assert hint in message
    assert "version, feedURL, url" in message


@pytest.mark.parametrize(
    "content", ['{"a": {"b": "c"}}', "a: {b: c}", "a:\n  b: c\n", '{\n\t"a": {\n\t\t"b": "c"}}', "{'a': {'b': 'c'}}"]
)
def test_text_may_be_json_or_yaml(content: str) -> None:
    assert mapping_from_text(content, "x") == {"a": {"b": "c"}}


@pytest.mark.parametrize("content", ['{"a": 1, "a": 2}', "a: 1\na: 2", "x: {a: 1, a: 2}", "- {a: 1, a: 2}"])
def test_equal_keys_are_not_dropped_in_silence(content: str) -> None:
    with pytest.raises(InputError, match='names "a" twice'):
        mapping_from_text(content, "x")


@pytest.mark.parametrize(
    ("content", "documents"),
    [
        ("a: 1\n---\n- 2\n", [{"a": 1}, [2]]),
        ("---\n---\na: 1\n...\n", [{"a": 1}]),
        ('{"a": 1}', [{"a": 1}]),
        ("null", []),
        ("", []),
        ("# nothing", []),
    ],
    ids=["two", "marks", "JSON", "null", "empty", "comment"],
)
def test_documents(content: str, documents: list[Any]) -> None:
    assert documents_from_text(content, "x") == documents


def test_several_documents_are_not_one() -> None:
    with pytest.raises(InputError, match="x is given as text with 2 YAML documents"):
        mapping_from_text("a: 1\n---\nb: 1", "x")
    assert mapping_from_text("# nothing", "x") is None


def test_a_date_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="neither JSON nor YAML"):
        mapping_from_text("a: 2023-02-31", "x")


def test_broken_text_is_refused_without_showing_it() -> None:
    with pytest.raises(InputError, match="neither JSON nor YAML in line 2") as caught:
        mapping_from_text("a: b\nurl: 'https://user:hunter2@h", "x")
    assert "hunter2" not in caught.value.message


def test_yaml_tags_build_no_objects() -> None:
    with pytest.raises(InputError, match="neither JSON nor YAML"):
        mapping_from_text("!!python/object/apply:os.getcwd []", "x")


def test_without_pyyaml_json_still_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_input, "HAS_YAML", False)
    assert mapping_from_text('{"a": 1}', "x") == {"a": 1}
    with pytest.raises(InputError, match="install PyYAML"):
        mapping_from_text("a: 1", "x")
