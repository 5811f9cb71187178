# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Shows the lines of the module porter_agent_action while it waits."""

from __future__ import annotations

from ansible_collections.getporter.porter.plugins.plugin_utils._progress import ProgressAction


class ActionModule(ProgressAction):
    """The action of the module of the same name."""
