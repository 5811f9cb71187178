# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The adapter to Kubernetes: the one file that imports kubernetes and kubernetes.core.

Private to the collection: not a public interface.
Authentication is kubernetes.core's (options and K8S_AUTH_* variables); requests are plain REST
on the paths of stable built-in APIs, because discovery would cost each task two more requests.
"""

from __future__ import annotations

import json
import traceback
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Mapping, NamedTuple, Sequence
from urllib.parse import quote, urlencode

from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ApiError,
    ConflictError,
    InputError,
    MissingLibraryError,
    UnreachableError,
)
from ansible_collections.getporter.porter.plugins.module_utils._input import choice
from ansible_collections.getporter.porter.plugins.module_utils._rights import missing_in_words, refused_access

IMPORT_ERROR: str | None = None
try:
    import urllib3
    import urllib3.exceptions
    from kubernetes.client import ApiClient
    from kubernetes.config import ConfigException
    from urllib3._collections import HTTPHeaderDict
except ImportError:
    IMPORT_ERROR = traceback.format_exc()

try:
    from ansible_collections.kubernetes.core.plugins.module_utils.args_common import AUTH_ARG_SPEC
    from ansible_collections.kubernetes.core.plugins.module_utils.k8s.client import (
        _create_auth_spec,
        _create_configuration,
        _create_headers,
    )

    AUTH_ARGUMENTS: dict[str, Any] = dict(AUTH_ARG_SPEC)
except ImportError:
    # ansible-test imports each file without other collections; at run time the collection's
    # dependency on kubernetes.core makes this impossible.
    AUTH_ARGUMENTS = {}

Manifest = Dict[str, Any]

MERGE_PATCH = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
# What an Accept header asks for where an object's metadata is enough; a server that cannot sends all of it.
METADATA_ONLY = "application/json;as=%s;v=v1;g=meta.k8s.io,application/json"

# Seconds to connect, seconds to wait for the next byte of an answer.
CONNECT_TIMEOUT = 10.0
READ_TIMEOUT = 60.0
# Bytes of a log in one answer.
MOST_LOG_BYTES = 1 << 20
# Seconds that a busy server's wish to be left alone is heeded at most, for each second try.
MOST_RETRY_AFTER = 10.0
# Objects in one page of a list: what kubectl uses.
PAGE_SIZE = 500


class Resource(NamedTuple):
    """A built-in resource type: API root such as ``/api/v1``, plural name, and its scope."""

    root: str
    plural: str
    namespaced: bool = True

    def path(self, namespace: str | None = None, name: str | None = None) -> str:
        """The REST path of the collection, or of the object ``name``."""
        parts = [self.root]
        if self.namespaced and namespace:
            parts += ["namespaces", quote(namespace, safe="")]
        parts.append(self.plural)
        if name:
            parts.append(quote(name, safe=""))
        return "/".join(parts)


CLAIMS = Resource("/api/v1", "persistentvolumeclaims")
VOLUMES = Resource("/api/v1", "persistentvolumes", namespaced=False)
SECRETS = Resource("/api/v1", "secrets")
CONFIG_MAPS = Resource("/api/v1", "configmaps")
PODS = Resource("/api/v1", "pods")
EVENTS = Resource("/api/v1", "events")
NODES = Resource("/api/v1", "nodes", namespaced=False)
NAMESPACES = Resource("/api/v1", "namespaces", namespaced=False)
STORAGE_CLASSES = Resource("/apis/storage.k8s.io/v1", "storageclasses", namespaced=False)
JOBS = Resource("/apis/batch/v1", "jobs")
# The Porter Operator's; not every cluster has it.
AGENT_CONFIGS = Resource("/apis/getporter.org/v1", "agentconfigs")
ACCESS_REVIEWS = Resource("/apis/authorization.k8s.io/v1", "selfsubjectaccessreviews", namespaced=False)


class KubeApi:
    """Typed REST calls to one cluster. Answers and bodies are plain dictionaries."""

    def __init__(self, configuration: Any, headers: dict[str, Any] | None = None) -> None:
        configuration.retries = _retries()
        self._configuration = configuration
        self._pool = ApiClient(configuration).rest_client.pool_manager
        self._headers = headers or {}
        self._last_date: str | None = None

    def cluster_time(self) -> datetime:
        """What the cluster's clock said in its latest answer; this host's may be wrong, and ages are the cluster's."""
        try:
            return parsedate_to_datetime(self._last_date or "")
        except (TypeError, ValueError):
            return datetime.now(timezone.utc)

    def kinds_of(self, group: str) -> dict[str, dict[str, Resource]]:
        """The resource types of an API group, by version and kind; empty where the cluster knows no such group.

        The group of ConfigMap and the like is the empty text.
        """
        if not group:
            return {"v1": self._kinds_at("/api/v1")}
        try:
            versions = self._json("GET", "/apis/" + group).get("versions") or []
        except ApiError as error:
            if error.status == 404 and not self._has_group(group):
                return {}
            raise
        return {each["version"]: self._kinds_at("/apis/" + each["groupVersion"]) for each in versions}

    def _has_group(self, group: str) -> bool:
        """Whether the list of groups has it: an answer of 404 could come from anywhere."""
        return any(each["name"] == group for each in self._json("GET", "/apis").get("groups") or [])

    def _kinds_at(self, root: str) -> dict[str, Resource]:
        return {each["kind"]: Resource(root, each["name"], each["namespaced"]) for each in self._discovered(root)}

    def _discovered(self, root: str) -> list[Manifest]:
        """What the cluster tells of the resource types of an API version. Subresources have kinds too, and are none."""
        resources = self._json("GET", root).get("resources") or []
        return [each for each in resources if "/" not in each["name"]]

    def list_all(
        self,
        resource: Resource,
        namespace: str | None = None,
        *,
        label_selector: str | None = None,
        field_selector: str | None = None,
        metadata_only: bool = False,
    ) -> list[Manifest]:
        """Every object that matches: a page that fails raises, so that a result is always whole."""
        accept = METADATA_ONLY % "PartialObjectMetadataList" if metadata_only else "application/json"
        path = resource.path(namespace)
        selectors = {"labelSelector": label_selector, "fieldSelector": field_selector}
        try:
            return self._pages(path, {**selectors, "limit": str(PAGE_SIZE)}, accept)
        except ApiError as error:
            if error.status != 410:
                raise
        # The cluster has forgotten the state that the first pages show, as it does after some minutes. So from the
        # beginning, and in one answer, of which nothing can expire.
        return self._pages(path, selectors, accept)

    def _pages(self, path: str, query: Mapping[str, str | None], accept: str) -> list[Manifest]:
        """The items of all pages of one list."""
        found: list[Manifest] = []
        token: str | None = None
        while True:
            page = self._json("GET", path, query={**query, "continue": token}, accept=accept)
            # The items of a list do not say what they are: the list does.
            kind = {"apiVersion": page.get("apiVersion"), "kind": _item_kind(page)}
            found += [{**kind, **item} for item in page.get("items") or []]
            token = (page.get("metadata") or {}).get("continue")
            if not token:
                return found

    def get(
        self, resource: Resource, name: str, namespace: str | None = None, *, metadata_only: bool = False
    ) -> Manifest | None:
        """The object, or None where the cluster says that there is none (404)."""
        accept = METADATA_ONLY % "PartialObjectMetadata" if metadata_only else "application/json"
        try:
            return self._json("GET", resource.path(namespace, name), accept=accept)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def create(self, resource: Resource, body: Manifest) -> Manifest:
        """Create ``body``; ConflictError where the name is taken."""
        namespace = body["metadata"].get("namespace")
        return self._json("POST", resource.path(namespace), body=body)

    def merge_patch(self, resource: Resource, name: str, body: Manifest, namespace: str | None = None) -> Manifest:
        """JSON merge patch. Give metadata.resourceVersion in ``body`` as the precondition.

        ConflictError where the object is another one by now, or gone.
        """
        try:
            return self._json("PATCH", resource.path(namespace, name), body=body, content_type=MERGE_PATCH)
        except ApiError as error:
            if error.status == 404:
                raise ConflictError(error.status, error.reason, error.message) from error
            raise

    def json_patch(
        self, resource: Resource, name: str, operations: Sequence[Manifest], namespace: str | None = None
    ) -> Manifest:
        """JSON patch. Begin ``operations`` with a ``test`` as the precondition.

        ConflictError where a test fails, or the object is gone.
        """
        try:
            return self._json("PATCH", resource.path(namespace, name), body=list(operations), content_type=JSON_PATCH)
        except ApiError as error:
            # A patch that does not apply is answered with 422 and no details; an object that may not be as it
            # would become, with 422 and the fields that are wrong.
            if error.status == 404 or (error.status == 422 and not error.details):
                raise ConflictError(error.status, error.reason, error.message) from error
            raise

    def resource_of(self, api_version: str, kind: str) -> Resource:
        """The resource type of a kind, as the cluster tells it. InputError where it has no such version or kind."""
        if (api_version, kind) == ("v1", "ConfigMap"):
            # The usual one is known without asking.
            return CONFIG_MAPS
        root = "/%s/%s" % ("apis" if "/" in api_version else "api", quote(api_version))
        try:
            listed = self._discovered(root)
        except ApiError as error:
            if error.status != 404:
                raise
            raise InputError(
                "The cluster has no API version %s. Correct the spelling, or install what defines it; "
                "`kubectl api-versions` lists those that there are." % api_version
            ) from error
        found = {each["kind"]: each for each in listed if "get" in each["verbs"]}
        choice(kind, "A kind of API version %s" % api_version, sorted(found))
        return Resource(root, found[kind]["name"], namespaced=found[kind]["namespaced"])

    def delete(
        self,
        resource: Resource,
        name: str,
        namespace: str | None = None,
        *,
        uid: str,
        resource_version: str | None = None,
        propagation: str = "Background",
    ) -> None:
        """Delete just the object with this uid. Gone already is success; another uid is a ConflictError."""
        preconditions = {"uid": uid}
        if resource_version:
            preconditions["resourceVersion"] = resource_version
        body = {"propagationPolicy": propagation, "preconditions": preconditions}
        try:
            self._json("DELETE", resource.path(namespace, name), body=body)
        except ApiError as error:
            if error.status != 404:
                raise

    def pod_log(self, namespace: str, pod: str, container: str, *, tail_lines: int = 50) -> str | None:
        """The end of a container's log, or None where there is none (any more)."""
        return self._log(namespace, pod, {"container": container, "tailLines": str(tail_lines)})

    def pod_log_since(self, namespace: str, pod: str, container: str, since: str | None) -> str | None:
        """A container's log from a time on (RFC 3339, whole seconds), its lines with times; None for none."""
        return self._log(namespace, pod, {"container": container, "timestamps": "true", "sinceTime": since})

    def _log(self, namespace: str, pod: str, query: Mapping[str, str | None]) -> str | None:
        path = PODS.path(namespace, pod) + "/log"
        query = {**query, "limitBytes": str(MOST_LOG_BYTES)}
        try:
            return self._send("GET", path, query=query, accept="*/*").decode("utf-8", errors="replace")
        except ApiError as error:
            # 400: the container has not started, or its log is gone with the container.
            # 5xx: the node that holds the log does not answer. A log is a help, no condition.
            if error.status in (400, 404) or error.status >= 500:
                return None
            raise

    def _json(self, method: str, path: str, **kwargs: Any) -> Manifest:
        try:
            answer = json.loads(self._send(method, path, **kwargs))
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise UnreachableError(
                "What answers at %s is no Kubernetes API: its answer to %s %s is not a JSON object. Check the address "
                "and the proxy options." % (self._configuration.host, method, path)
            )
        return answer

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | None] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        accept: str = "application/json",
    ) -> bytes:
        headers = self._all_headers({"Accept": accept, **({} if body is None else {"Content-Type": content_type})})
        given = {key: value for key, value in (query or {}).items() if value}
        url = self._configuration.host.rstrip("/") + path + ("?" + urlencode(given) if given else "")
        try:
            response = self._pool.request(
                method,
                url,
                headers=headers,
                body=None if body is None else json.dumps(body).encode("utf-8"),
                timeout=urllib3.Timeout(connect=CONNECT_TIMEOUT, read=READ_TIMEOUT),
            )
        except urllib3.exceptions.HTTPError as error:
            # First, because some of these, such as the one for a wrong address, are ValueErrors too.
            raise UnreachableError(
                "The Kubernetes API at %s did not answer: %s. Check the address, the network and the proxy options."
                % (self._configuration.host, error)
            ) from error
        except ValueError:
            # Without the error's own text, which quotes the header.
            raise InputError(
                "The API token (or another connection option) holds a line break or another character that HTTP "
                "headers do not allow. Give it as one line."
            ) from None
        self._last_date = response.headers.get("Date")
        if response.status >= 400:
            raise _error_from(method, path, response.status, response.data)
        data: bytes = response.data
        return data

    def _all_headers(self, own: dict[str, str]) -> Any:
        """``own``, the impersonation headers (one with several values is sent several times), and Authorization."""
        headers = HTTPHeaderDict({"User-Agent": "getporter.porter", **own})
        for key, value in self._headers.items():
            for each in value if isinstance(value, (list, tuple)) else [value]:
                headers.add(key, each)
        headers.update(self._authorization())
        return headers

    def _authorization(self) -> dict[str, str]:
        """Asked anew for each request, because tokens of exec plugins expire."""
        settings = self._configuration.auth_settings().values()
        return {each["key"]: each["value"].strip() for each in settings if each["in"] == "header" and each["value"]}


def connect(module: Any) -> KubeApi:
    """The API that a module's kubernetes.core options and K8S_AUTH_* variables name.

    Raises MissingLibraryError without the Python library kubernetes, InputError where no
    connection can be made out of the options.
    """
    if IMPORT_ERROR:
        raise MissingLibraryError("kubernetes", IMPORT_ERROR)
    auth = _create_auth_spec(module)
    for secret in ("api_key", "password"):
        if auth.get(secret):
            # Files and credential stores end it with a newline, which no header may hold.
            auth[secret] = auth[secret].strip()
            # From the environment it comes unmarked.
            module.no_log_values.add(auth[secret])
    try:
        configuration = _create_configuration(auth)
    except Exception as error:  # a broken kubeconfig raises whatever its reader stumbled over
        # Words of readers other than Kubernetes' own could quote a line with a token.
        said = str(error) if isinstance(error, (ConfigException, OSError)) else type(error).__name__
        raise InputError(
            "No usable Kubernetes connection: %s. Give kubeconfig (or K8S_AUTH_KUBECONFIG), or host with api_key "
            "(K8S_AUTH_HOST and K8S_AUTH_API_KEY, as the AWX Kubernetes credential sets them), or run in a pod with "
            "a service account token." % said.rstrip(".")
        ) from error
    return KubeApi(configuration, _create_headers(module))


def _item_kind(page: Manifest) -> str:
    """``PersistentVolume`` out of a PersistentVolumeList."""
    kind = str(page.get("kind") or "")
    return kind[: -len("List")] if kind.endswith("List") else kind


def _retries() -> Any:
    """Ride out busy servers and cut connections, writes included.

    Writes may be repeated because each carries a precondition or a fixed name: the second try
    meets 409 or 404, which callers take as "done by someone".
    """

    class BoundedRetry(urllib3.Retry):  # type: ignore[misc]
        """Whatever stands between us and the cluster could ask for hours, which no timeout of a module would end."""

        def get_retry_after(self, response: Any) -> float | None:
            try:
                seconds: float | None = super().get_retry_after(response)
            except urllib3.exceptions.InvalidHeader:
                return None
            return seconds and min(seconds, MOST_RETRY_AFTER)

    return BoundedRetry(
        total=6,
        allowed_methods=None,
        status_forcelist=(429, 500, 502, 503, 504),
        backoff_factor=0.2,
        raise_on_status=False,
    )


def _error_from(method: str, path: str, status: int, data: bytes) -> ApiError:
    """The cluster's own words, out of its Status object where it sent one; with the rule where rights are missing."""
    try:
        answer = json.loads(data)
        message, reason = answer.get("message") or "", answer.get("reason") or ""
        details = answer.get("details")
    except (ValueError, AttributeError):
        message, reason, details = data.decode("utf-8", errors="replace").strip()[:500], "", None
    kind = ConflictError if status == 409 else ApiError
    refused = refused_access(message) if status == 403 else None
    return kind(
        status=status,
        reason=reason,
        message="%s %s: %s (%d)" % (method, path, message or reason or "no message", status),
        details=details,
        advice="\n" + missing_in_words([refused]) if refused else "",
    )
