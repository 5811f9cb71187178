# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether the storage that a plugin volume asks for can be had, and whether what there is differs from it. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Dict, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._quantity import parse_quantity

Manifest = Dict[str, Any]

READ_WRITE_ONCE = "ReadWriteOnce"
# Provisioners of disks that one node attaches at a time: asked for more, they leave pods hanging in
# "volume capability not supported", or provision nothing.
_ONE_NODE_PROVISIONERS = frozenset(
    (
        "cinder.csi.openstack.org",
        "csi.vsphere.vmware.com",
        "disk.csi.azure.com",
        "ebs.csi.aws.com",
        "kubernetes.io/aws-ebs",
        "kubernetes.io/azure-disk",
        "kubernetes.io/gce-pd",
        "pd.csi.storage.gke.io",
        "rancher.io/local-path",
    )
)
_DEFAULT_ANNOTATION = "storageclass.kubernetes.io/is-default-class"


def check_storage(volume: PluginVolume, classes: Sequence[Manifest]) -> bool:
    """Refuse a class that is not there, and an access mode that its class is known not to have.

    False: no class is named and none is the default, so only a volume without a class can serve.
    """
    chosen = _chosen(volume, classes)
    if chosen is None:
        return False
    provisioner = chosen.get("provisioner", "")
    if volume.access_mode not in (None, READ_WRITE_ONCE) and provisioner in _ONE_NODE_PROVISIONERS:
        raise InputError(
            "%s: access mode %s was asked for, but the storage class %s makes volumes for one node at a time "
            "(provisioner %s). Leave the access mode out, which keeps it as provisioned, or name a class of shared "
            "file storage." % (volume.key, volume.access_mode, chosen["metadata"]["name"], provisioner)
        )
    return True


def no_default_class(volume: PluginVolume, classes: Sequence[Manifest]) -> InputError:
    """The error for a cluster without a default class and without a volume that needs none."""
    return InputError(
        "%s: no storage class is named, and the cluster has no default one. Set the storage class to one of: %s."
        % (volume.key, _names(classes))
    )


def unlike_wanted(volume: PluginVolume, claim: Manifest | None) -> str | None:
    """A warning that the plugin claim was made with other settings than those wanted now, or None.

    More room than was asked for is nothing to warn of: provisioners round up. Nor is a claim that is to be replaced.
    """
    if not claim or volume.refresh:
        return None
    spec = claim["spec"]
    room, has_class, modes = spec["resources"]["requests"]["storage"], spec.get("storageClassName"), spec["accessModes"]
    differences = []
    if parse_quantity(volume.size) > parse_quantity(room):
        differences.append("size %s in place of %s" % (room, volume.size))
    if volume.storage_class not in (None, has_class):
        differences.append("storage class %s in place of %s" % (has_class or "none", volume.storage_class))
    if volume.access_mode and volume.access_mode not in modes:
        differences.append("access mode %s in place of %s" % (", ".join(modes), volume.access_mode))
    if not differences:
        return None
    return (
        "%s: the plugin claim stays as it was made: %s. Kubernetes does not let a claim change so; with refresh, the "
        "plugins are installed on a new volume as it is wanted." % (volume.key, "; ".join(differences))
    )


def _chosen(volume: PluginVolume, classes: Sequence[Manifest]) -> Manifest | None:
    if volume.storage_class:
        for each in classes:
            if each["metadata"]["name"] == volume.storage_class:
                return each
        raise InputError(
            "%s: there is no storage class %s. There are: %s." % (volume.key, volume.storage_class, _names(classes))
        )
    defaults = [
        each for each in classes if (each["metadata"].get("annotations") or {}).get(_DEFAULT_ANNOTATION) == "true"
    ]
    # Of several, Kubernetes takes the one that was made last.
    return max(defaults, key=lambda each: each["metadata"].get("creationTimestamp", ""), default=None)


def _names(classes: Sequence[Manifest]) -> str:
    return ", ".join(sorted(each["metadata"]["name"] for each in classes)) or "none"
