# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter for pods that people write themselves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.getporter.porter.plugins.filter.plugin_claim_name import FilterModule as ClaimName
from ansible_collections.getporter.porter.plugins.filter.plugin_volume import FilterModule

PLUGINS = {"kubernetes": {"version": "v1.0.0", "feedURL": "https://test"}}
plugin_volume = FilterModule().filters()["plugin_volume"]
plugin_claim_name = ClaimName().filters()["plugin_claim_name"]


@pytest.mark.parametrize("namespace", [(), ("default",), ("porter",), ("",), (None,)])
def test_volume_and_mount(namespace: Any) -> None:
    """The very claim and place of an agent action."""
    claim = plugin_claim_name(PLUGINS, *namespace)
    assert plugin_volume(PLUGINS, *namespace) == {
        "volumes": [{"name": "porter-plugins", "persistentVolumeClaim": {"claimName": claim}}],
        "volumeMounts": [
            {"name": "porter-plugins", "mountPath": "/app/.porter/plugins", "subPath": "plugins", "readOnly": True}
        ],
    }


@pytest.mark.parametrize(("yes", "no"), [(True, False), ("yes", "no"), ("true", "false"), (1, 0)])
def test_options_as_text(yes: Any, no: Any) -> None:
    """F05: templates hand booleans over as text."""

    def source(**options: Any) -> Any:
        return plugin_volume(PLUGINS, **options)["volumes"][0]["persistentVolumeClaim"]

    assert source(read_only_claim=yes) == {**source(), "readOnly": True}
    assert source(read_only_claim=no) == source(salted=no) == source()
    assert source(salted=yes) == {"claimName": plugin_claim_name(PLUGINS, salted=True)}


@pytest.mark.parametrize("value", [None, {}, "", {"plugins": None}])
def test_a07_no_plugins(value: Any) -> None:
    """A07"""
    assert plugin_volume(value) == {"volumes": [], "volumeMounts": []}


def test_plugins_as_text() -> None:
    assert plugin_volume(json.dumps(PLUGINS)) == plugin_volume(PLUGINS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((["kubernetes"],), "plugin_volume: plugins must be a map, not a list"),
        ((PLUGINS, "A"), 'plugin_volume: namespace cannot be "A".*For example: a'),
        ((PLUGINS, "a", "maybe"), "plugin_volume: salted must be true or false"),
        ((PLUGINS, "a", False, "maybe"), "plugin_volume: read_only_claim must be true or false"),
    ],
)
def test_wrong_input_is_a_filter_error(arguments: Any, words: str) -> None:
    with pytest.raises(AnsibleFilterError, match=words):
        plugin_volume(*arguments)
