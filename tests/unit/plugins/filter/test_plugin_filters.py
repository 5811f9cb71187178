# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filters of plugin sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.getporter.porter.plugins.filter import plugin_claim_name as claim_filter
from ansible_collections.getporter.porter.plugins.filter import plugin_label as label_filter
from ansible_collections.getporter.porter.plugins.filter import plugins_document as document_filter

PLUGINS = {"kubernetes": {"version": "v1.0.0", "feedURL": "https://test"}}
CLAIM = "porter-04ddd41f06d1720a7467dadc464d8077"


def filters() -> dict[str, Callable[..., Any]]:
    return {
        **claim_filter.FilterModule().filters(),
        **label_filter.FilterModule().filters(),
        **document_filter.FilterModule().filters(),
    }


NAMES = ["plugin_claim_name", "plugin_label", "plugins_document"]


def test_filters_are_registered_under_their_file_names() -> None:
    assert sorted(filters()) == NAMES


@pytest.mark.parametrize("namespace", [(), ("default",), ("",), (None,)])
def test_claim_name(namespace: Any) -> None:
    assert filters()["plugin_claim_name"](PLUGINS, *namespace) == CLAIM


def test_claim_name_in_a_namespace() -> None:
    name = filters()["plugin_claim_name"]
    assert name(PLUGINS, namespace="porter") not in (CLAIM, name(PLUGINS, namespace="other"))


@pytest.mark.parametrize(("salted", "same"), [(False, True), ("no", True), (True, False), ("yes", False)])
def test_a03_salted_claim_name(salted: Any, same: bool) -> None:
    assert (filters()["plugin_claim_name"](PLUGINS, salted=salted) == CLAIM) is same


def test_label() -> None:
    assert filters()["plugin_label"]({"kubernetes": {"version": "v1.0.1"}}) == "kubernetes_v1.0.1"


def test_document_is_whole() -> None:
    url = "https://user:pass@h/x?token=y"
    assert filters()["plugins_document"]({"a": {"feed_url": url}}) == {
        "schemaType": "Plugins",
        "schemaVersion": "1.0.0",
        "plugins": {"a": {"feedURL": url}},
    }


@pytest.mark.parametrize("value", [None, {}, "", {"plugins": None}])
def test_a07_no_plugins(value: Any) -> None:
    assert filters()["plugin_claim_name"](value) == filters()["plugin_label"](value) == ""
    assert filters()["plugins_document"](value)["plugins"] == {}


@pytest.mark.parametrize("name", NAMES)
def test_wrong_input_is_a_filter_error(name: str) -> None:
    with pytest.raises(AnsibleFilterError, match=f"{name}: plugins must be a map, not a list"):
        filters()[name](["kubernetes"])


def test_a_wrong_boolean_is_a_filter_error() -> None:
    with pytest.raises(AnsibleFilterError, match='salted must be true or false, not "maybe"'):
        filters()["plugin_claim_name"](PLUGINS, salted="maybe")


def test_wrong_namespace_is_a_filter_error() -> None:
    with pytest.raises(AnsibleFilterError, match='namespace cannot be "A"'):
        filters()["plugin_claim_name"](PLUGINS, namespace="A")
