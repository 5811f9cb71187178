# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Owner references of claims: reading them, changing them, and the JSON patch that makes a change. Pure.

Private to the collection: not a public interface.

A reference is a dictionary as in ``metadata.ownerReferences``. References of others, with their
flags ``controller`` and ``blockOwnerDeletion``, are never touched.
"""

from __future__ import annotations

from typing import Any, Collection, Dict, Mapping, NamedTuple, Sequence

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._input import (
    dns_label,
    dns_subdomain,
    text,
)
from ansible_collections.getporter.porter.plugins.module_utils._objects import annotations_of

Manifest = Dict[str, Any]
Reference = Dict[str, Any]
Operation = Dict[str, Any]

PATH = "/metadata/ownerReferences"
ANNOTATIONS = "/metadata/annotations"


class Owner(NamedTuple):
    """An owner as it is named; without ``uid``, whichever object has the name."""

    api_version: str
    kind: str
    name: str
    uid: str | None = None

    def reference(self, uid: str) -> Reference:
        """The owner reference to the object with this uid."""
        return {"apiVersion": self.api_version, "kind": self.kind, "name": self.name, "uid": uid}

    def __str__(self) -> str:
        return "%s %s" % (self.kind, self.name)


class Wish(NamedTuple):
    """Which owners these claims of a namespace shall have, or no longer have."""

    namespace: str
    claims: Sequence[str]
    owners: Sequence[Owner]
    present: bool = True
    block_owner_deletion: bool = False
    delete_unowned: bool = False


class Change(NamedTuple):
    """What is to be done to one claim, and the references that it has afterwards."""

    references: list[Reference]
    patch: Sequence[Operation] = ()
    delete: bool = False
    warning: str = ""


def read_wish(options: Mapping[str, Any]) -> Wish:
    """The wish out of a module's options. Raises InputError for what cannot be a name or an owner."""
    namespace = dns_label(options["namespace"].strip(), "namespace")
    return Wish(
        namespace=namespace,
        claims=[dns_subdomain(claim, "A claim's name") for claim in options["claims"]],
        owners=[read_owner(given, namespace) for given in options["owners"]],
        present=options["state"] == "present",
        block_owner_deletion=options["block_owner_deletion"],
        delete_unowned=options["delete_unowned"],
    )


def read_owner(given: Mapping[str, Any], namespace: str) -> Owner:
    """An owner out of a module's options; what is blank is not set. Raises InputError for another namespace."""
    owner = Owner(
        api_version=text(given.get("api_version"), "api_version of an owner").strip() or "v1",
        kind=text(given.get("kind"), "kind of an owner").strip() or "ConfigMap",
        name=text(given.get("name"), "name of an owner").strip(),
        uid=text(given.get("uid"), "uid of an owner").strip() or None,
    )
    if not owner.name:
        raise InputError("An owner of kind %s has no name. Give the name of an object in %s." % (owner.kind, namespace))
    if not all(owner.api_version.split("/")) or owner.api_version.count("/") > 1:
        raise InputError(
            "The api_version of owner %s must be VERSION or GROUP/VERSION, such as v1 or getporter.org/v1, not %s."
            % (owner.name, owner.api_version)
        )
    elsewhere = text(given.get("namespace"), "namespace of an owner").strip()
    if elsewhere and elsewhere != namespace:
        raise InputError(
            "%s of namespace %s cannot own claims of namespace %s: Kubernetes takes an owner in another namespace for "
            "one that is gone, and deletes the claim. Name an object of namespace %s, such as a ConfigMap made for it."
            % (owner, elsewhere, namespace, namespace)
        )
    return owner


def references_of(item: Manifest) -> list[Reference]:
    """The owner references of an object as it was read."""
    return list(item["metadata"].get("ownerReferences") or [])


def added(
    references: Sequence[Reference], owners: Sequence[Reference], block_owner_deletion: bool = False
) -> list[Reference] | None:
    """The references with those to ``owners``, or None where they are there already.

    A reference to an owner of the same group, kind and name with another uid is stale and goes.
    So look the owners up after the references were read: an owner made anew in between would
    otherwise be taken for the stale one.
    """
    wanted = list(references)
    for owner in owners:
        wanted = [each for each in wanted if each["uid"] == owner["uid"] or not same_name(each, owner)]
        if not any(_is_to(each, owner) for each in wanted):
            wanted.append(dict(owner))
        if block_owner_deletion:
            wanted = [{**each, "blockOwnerDeletion": True} if _is_to(each, owner) else each for each in wanted]
    return wanted if wanted != list(references) else None


def removed(references: Sequence[Reference], uids: Collection[str]) -> list[Reference] | None:
    """The references without those to the owners with these uids, or None where there are none."""
    left = [each for each in references if each["uid"] not in uids]
    return left if len(left) < len(references) else None


def uids_of(references: Sequence[Reference], owner: Owner) -> list[str]:
    """The uids by which an owner, perhaps gone, is referred to."""
    named = owner.reference(owner.uid or "")
    return [each["uid"] for each in references if same_name(each, named) and owner.uid in (None, each["uid"])]


def same_name(one: Reference, other: Reference) -> bool:
    """Whether two references name an object of one API group, kind and name, whatever the version and the uid."""
    return _name(one) == _name(other)


def _is_to(reference: Reference, owner: Reference) -> bool:
    """Kubernetes finds an owner by its name and then compares the uid: one without the other is no owner."""
    return reference["uid"] == owner["uid"] and same_name(reference, owner)


def _name(reference: Reference) -> tuple[str, str, str]:
    group = reference["apiVersion"].rpartition("/")[0]
    return group, reference["kind"], reference["name"]


def patch_of(
    claim: Manifest, references: Sequence[Reference], annotations: Mapping[str, str] | None = None
) -> list[Operation]:
    """The JSON patch that gives the claim, as it was read, these references and annotations; empty where it has them.

    It fails as a whole where the claim is another one by now, or has other references or other values of these
    annotations than were read. What is new is added before what is old is removed.
    """
    present = references_of(claim)
    new, old = list(references), []
    for index, reference in enumerate(present):
        if reference in new:
            new.remove(reference)
        else:
            old.append(index)
    notes = _annotated(annotations_of(claim), annotations or {})
    if not new and not old and not notes:
        return []
    # Where there is no list, the API server compares it as null.
    as_read = [_test("/metadata/uid", claim["metadata"]["uid"]), _test(PATH, present or None)]
    removals: list[Operation] = []
    # From the end, so that the indexes of those before stay.
    for index in reversed(old):
        place = "%s/%d" % (PATH, index)
        removals += [_test(place + "/uid", present[index]["uid"]), {"op": "remove", "path": place}]
    return as_read + notes + _additions(new, to_a_list=bool(present)) + removals


def _annotated(present: Mapping[str, str], wanted: Mapping[str, str]) -> list[Operation]:
    """What adds annotations that are missing or have other values."""
    missing = {key: value for key, value in wanted.items() if present.get(key) != value}
    if not missing:
        return []
    if not present:
        return [_test(ANNOTATIONS, None), {"op": "add", "path": ANNOTATIONS, "value": missing}]
    operations: list[Operation] = []
    for key, value in missing.items():
        place = "%s/%s" % (ANNOTATIONS, key.replace("~", "~0").replace("/", "~1"))
        operations += [_test(place, present.get(key)), {"op": "add", "path": place, "value": value}]
    return operations


def _additions(new: list[Reference], to_a_list: bool) -> list[Operation]:
    if to_a_list:
        return [{"op": "add", "path": PATH + "/-", "value": reference} for reference in new]
    return [{"op": "add", "path": PATH, "value": new}] if new else []


def _test(path: str, value: Any) -> Operation:
    return {"op": "test", "path": path, "value": value}


def joining(claim: Manifest | None, owners: Sequence[Reference], block_owner_deletion: bool, where: str) -> Change:
    """How ``owners`` come to own the claim that ``where`` names. Raises InputError where they cannot."""
    if claim is None:
        raise InputError("There is no claim %s, so nothing can own it. Make it first, or correct its name." % where)
    if claim["metadata"].get("deletionTimestamp"):
        raise InputError(
            "The claim %s is being deleted; pods that mount it hold it up. Owners cannot keep it: wait until it is "
            "gone, and make it anew." % where
        )
    if any(owner["uid"] == claim["metadata"]["uid"] for owner in owners):
        raise InputError("The claim %s cannot own itself. Name another object as its owner." % where)
    references = references_of(claim)
    wanted = added(references, owners, block_owner_deletion)
    return Change(references) if wanted is None else Change(wanted, patch_of(claim, wanted))


def leaving(claim: Manifest | None, owners: Sequence[Owner], delete_unowned: bool, where: str) -> Change:
    """How ``owners`` cease to own the claim that ``where`` names; with ``delete_unowned`` it goes with the last one.

    It is then deleted in place of being changed, so that a run stopped in between leaves no claim without owners.
    """
    if claim is None:
        return Change([])
    references = references_of(claim)
    left = removed(references, [uid for owner in owners for uid in uids_of(references, owner)])
    remaining = references if left is None else left
    warning = ""
    if delete_unowned and not remaining:
        if (claim["metadata"].get("labels") or {}).get(keys.LABEL_MANAGED) == "true":
            return Change([], delete=not claim["metadata"].get("deletionTimestamp"))
        warning = "The claim %s has no owner left. It is not labelled %s, so it is not deleted." % (
            where,
            keys.MANAGED_SELECTOR,
        )
    return Change(remaining, patch_of(claim, remaining), warning=warning)


def shown(reference: Reference) -> dict[str, Any]:
    """A reference as results have it, in the spelling of the modules' options."""
    return {
        "api_version": reference["apiVersion"],
        "kind": reference["kind"],
        "name": reference["name"],
        "uid": reference["uid"],
        "controller": bool(reference.get("controller")),
        "block_owner_deletion": bool(reference.get("blockOwnerDeletion")),
    }
