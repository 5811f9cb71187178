# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A plugin volume as the collection wants it, for objects that a test puts in the place of the collection's own."""

from __future__ import annotations

from typing import Any

from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume

from tests.support.playbook import AGENT_IMAGE


def wanted_volume(namespace: str, plugins: dict[str, Any]) -> PluginVolume:
    """The volume of the agent config ``default`` with these plugins."""
    option = {"agent_config": "default", "namespace": namespace, "plugins": plugins, "volume_size": "64Mi"}
    return read_volume({**option, "agent": {"image": AGENT_IMAGE}})[0]
