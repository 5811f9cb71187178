# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Asks the cluster which of the needed rights the account lacks, and says all of them at once.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Iterable, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._api import ACCESS_REVIEWS, KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError, MissingRightsError
from ansible_collections.getporter.porter.plugins.module_utils._rights import (
    RIGHTS,
    Access,
    Right,
    access_review,
    is_allowed,
    missing_in_words,
    needed_accesses,
)


def refuse_missing_rights(api: KubeApi, namespaces: Iterable[str], rights: Sequence[Right] = RIGHTS) -> None:
    """Raise MissingRightsError where the account may not do all that a run in these namespaces needs."""
    missing = _missing(api, namespaces, rights)
    if missing:
        raise MissingRightsError(
            "The account may not do all that is needed, so nothing was begun.\n%s" % missing_in_words(missing, rights)
        )


def with_all_that_is_missing(
    api: KubeApi, error: ApiError, namespaces: Iterable[str], rights: Sequence[Right] = RIGHTS
) -> ApiError:
    """A refused request (403) as an error that tells what else would be refused later, or the error as it is."""
    missing = _missing(api, namespaces, rights)
    if not missing:
        return error
    return ApiError(error.status, error.reason, error.words, "\n" + missing_in_words(missing, rights))


def _missing(api: KubeApi, namespaces: Iterable[str], rights: Sequence[Right] = RIGHTS) -> list[Access]:
    """Nothing where access reviews are refused themselves: the cluster's own answer must do, later."""
    try:
        return [
            access
            for access in needed_accesses(namespaces, rights)
            if not is_allowed(api.create(ACCESS_REVIEWS, access_review(access)))
        ]
    except ApiError as error:
        if error.status == 403:
            return []
        raise
