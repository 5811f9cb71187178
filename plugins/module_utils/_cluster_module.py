# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the modules share that look at namespaces or the whole cluster: options, and their reading.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Mapping

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.getporter.porter.plugins.module_utils._api import AUTH_ARGUMENTS, KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._input import dns_label, is_blank
from ansible_collections.getporter.porter.plugins.module_utils._namespaces import refuse_missing_namespaces


def make_cluster_module(options: Mapping[str, Any]) -> AnsibleModule:
    """The module with the connection options, ``namespaces`` and ``options``."""
    return AnsibleModule(
        argument_spec={
            **AUTH_ARGUMENTS,
            "namespaces": {"type": "list", "elements": "str", "default": []},
            **options,
        },
        supports_check_mode=True,
    )


def chosen_namespaces(module: AnsibleModule) -> list[str]:
    """The namespaces that were named, each once; a question that was left open names none."""
    named = [each for each in module.params["namespaces"] if not is_blank(each)]
    return sorted({dns_label(each.strip(), "A namespace") for each in named})


def seconds(module: AnsibleModule, option: str) -> int:
    """An option that is a number of seconds."""
    value = int(module.params[option])
    if value < 0:
        raise InputError("%s is a number of seconds and cannot be less than 0, as %d is." % (option, value))
    return value


def refuse_missing(api: KubeApi, namespaces: list[str]) -> None:
    """Raise InputError for a namespace that is not there: a slip in its name would look like an empty one."""
    refuse_missing_namespaces(api, namespaces, "Name one that exists, or none for the whole cluster.")
