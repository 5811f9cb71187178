# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the modules share: how they begin, report, and end.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from contextlib import suppress
from os import SEEK_END
from pathlib import Path
from typing import Any, Callable, Mapping, Protocol

from ansible.module_utils.basic import AnsibleModule, missing_required_lib
from ansible.module_utils.common.parameters import remove_values
from ansible_collections.getporter.porter.plugins.module_utils._api import AUTH_ARGUMENTS
from ansible_collections.getporter.porter.plugins.module_utils._arguments import (
    PorterModule,
    invocation,
    shown_arguments,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    MissingLibraryError,
    PorterError,
)


class Subject(Protocol):
    """What a line is about: a plugin volume, or an agent action."""

    @property
    def namespace(self) -> str:
        """Its namespace."""

    @property
    def agent_config(self) -> str:
        """The agent config that it is for."""


def make_module(
    options: Mapping[str, Any], shown: Callable[[Mapping[str, Any]], Mapping[str, Any]] = shown_arguments
) -> PorterModule:
    """The module with the options of the connection and ``options``, of which results show what ``shown`` makes."""
    return PorterModule(
        shown,
        argument_spec={
            **AUTH_ARGUMENTS,
            **options,
        },
        supports_check_mode=True,
        # Nothing of the arguments goes to the system log: feed URLs can hold credentials.
        no_log=True,
    )


def success(module: Any, result: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments for ``exit_json``."""
    return {**result, **invocation(module)}


def failure(module: Any, error: PorterError) -> dict[str, Any]:
    """The keyword arguments for ``fail_json``."""
    return {**error_result(error), **invocation(module)}


def error_result(error: PorterError) -> dict[str, Any]:
    """The error as keyword arguments; where a library is missing, in Ansible's words for that."""
    result = error.as_result()
    if isinstance(error, MissingLibraryError):
        result["msg"] = missing_required_lib(error.library)
    return result


def reporter(module: AnsibleModule) -> Callable[[Subject, str], None] | None:
    """What appends lines to the progress file, None where there is none."""
    if not module.params["progress_file"]:
        return None
    path = Path(module.params["progress_file"])
    path.touch()

    def report(subject: Subject, line: str) -> None:
        # In one write, so that a reader never sees half a line of two; masked as results are.
        shown = remove_values(line, module.no_log_values)
        # One that was removed is not made anew: nobody reads it any more.
        with suppress(FileNotFoundError), path.open("r+", encoding="utf-8") as stream:
            stream.seek(0, SEEK_END)
            stream.write("%s/%s: %s\n" % (subject.namespace, subject.agent_config, shown))

    return report
