# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Refuses namespaces that are not there.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Iterable

from ansible_collections.getporter.porter.plugins.module_utils._api import NAMESPACES, KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError, InputError


def refuse_missing_namespaces(api: KubeApi, namespaces: Iterable[str], advice: str) -> None:
    """Raise InputError, with the advice, for the first namespace that is not there.

    Where namespaces may not be read, the cluster's own answer must do, later.
    """
    for namespace in namespaces:
        try:
            found = api.get(NAMESPACES, namespace)
        except ApiError as error:
            if error.status == 403:
                continue
            raise
        if not found:
            raise InputError("There is no namespace %s. %s" % (namespace, advice))
