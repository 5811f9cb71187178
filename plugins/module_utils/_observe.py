# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the state of plugin volumes: one list of each kind, however many volumes are asked about.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Collection, Dict, Iterable, Mapping, Sequence

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._access_review import with_all_that_is_missing
from ansible_collections.getporter.porter.plugins.module_utils._api import CLAIMS, CONFIG_MAPS, JOBS, VOLUMES, KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError
from ansible_collections.getporter.porter.plugins.module_utils._life import Observed
from ansible_collections.getporter.porter.plugins.module_utils._objects import Listing, key_of
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._record import RECORD_SELECTOR

Manifest = Dict[str, Any]

INSTALL_SELECTOR = "%s,%s=%s" % (keys.MANAGED_SELECTOR, keys.LABEL_COMPONENT, keys.COMPONENT_STAGING)


def list_namespaces(api: KubeApi, namespaces: Collection[str]) -> Listing:
    """One list of each kind. A list that fails raises: no answer is built on half of one.

    This is what a run begins with, so that a list which is refused tells of all rights that are missing.
    """
    try:
        return _list(api, sorted(set(namespaces)))
    except ApiError as error:
        if error.status != 403:
            raise
        raise with_all_that_is_missing(api, error, namespaces) from error


def _list(api: KubeApi, namespaces: Sequence[str]) -> Listing:
    """One list of each kind.

    The order matters. Jobs come first: a run beside this one makes the staging claim before the
    Job, so a Job that is seen without its staging claim really lost it. Records come after claims:
    whoever joins a claim has written its record before. PersistentVolumes come last: a run labels
    the volume before it deletes the staging claim, so a volume under way is never missed between
    two lists.
    """
    jobs: dict[str, Manifest] = {}
    claims: dict[str, Manifest] = {}
    records: dict[str, Manifest] = {}
    for namespace in namespaces:
        jobs.update(_by_name(api.list_all(JOBS, namespace, label_selector=INSTALL_SELECTOR)))
        claims.update(_by_name(api.list_all(CLAIMS, namespace, label_selector=keys.MANAGED_SELECTOR)))
        records.update(_by_name(api.list_all(CONFIG_MAPS, namespace, label_selector=RECORD_SELECTOR)))
    return Listing(jobs, claims, records, api.list_all(VOLUMES, label_selector=keys.MANAGED_SELECTOR))


def observe(api: KubeApi, volumes: Sequence[PluginVolume], listing: Listing | None = None) -> dict[str, Observed]:
    """What exists of each plugin volume, by its key."""
    listing = listing or list_namespaces(api, [volume.namespace for volume in volumes])
    namespaces = sorted({volume.namespace for volume in volumes})
    records = {namespace: listing.of(namespace).records for namespace in namespaces}
    return {volume.key: _of_one(api, volume, listing, records[volume.namespace]) for volume in volumes}


def _of_one(api: KubeApi, volume: PluginVolume, listing: Listing, records: Mapping[str, Manifest]) -> Observed:
    names = volume.identity
    claim = listing.claims.get(volume.key) or _claim_of_bound_volume(api, volume, listing.volumes)
    return Observed(
        claim=claim,
        staging=listing.claims.get("%s/%s" % (volume.namespace, names.staging_claim)),
        job=listing.jobs.get("%s/%s" % (volume.namespace, names.job)),
        volumes=tuple(_volumes_of(api, volume, claim, listing.volumes)),
        records=records,
    )


def _claim_of_bound_volume(api: KubeApi, volume: PluginVolume, listed: Sequence[Manifest]) -> Manifest | None:
    """The plugin claim that a list missed: its label was taken off by hand, or it was made after the list."""
    for each in listed:
        reference = each["spec"].get("claimRef") or {}
        is_bound = reference.get("uid") and (each.get("status") or {}).get("phase") == "Bound"
        if is_bound and "%s/%s" % (reference.get("namespace"), reference.get("name")) == volume.key:
            return api.get(CLAIMS, volume.identity.claim, volume.namespace)
    return None


def _volumes_of(api: KubeApi, volume: PluginVolume, claim: Any, listed: Sequence[Manifest]) -> Iterable[Manifest]:
    bound_name = claim["spec"].get("volumeName") if claim else None
    found = [
        each
        for each in listed
        if (each["metadata"].get("annotations") or {}).get(keys.ANNOTATION_CLAIM) == volume.key
        or each["metadata"]["name"] == bound_name
    ]
    if bound_name and all(each["metadata"]["name"] != bound_name for each in found):
        # The label was taken off by hand: the claim still tells the name.
        unlabelled = api.get(VOLUMES, bound_name)
        if unlabelled:
            found.append(unlabelled)
    return found


def _by_name(items: list[Manifest]) -> dict[str, Manifest]:
    return {key_of(item): item for item in items}
