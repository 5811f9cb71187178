# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The adapter to Kubernetes, against a small HTTP server that answers from a script."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
import urllib3
from ansible_collections.getporter.porter.plugins.module_utils import _api
from ansible_collections.getporter.porter.plugins.module_utils._api import CLAIMS, JOBS, VOLUMES, KubeApi, connect
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ApiError,
    ConflictError,
    InputError,
    MissingLibraryError,
    PorterError,
    UnreachableError,
)
from kubernetes.client import Configuration

CUT = "cut the connection"


class Request(NamedTuple):
    method: str
    path: str
    query: dict[str, list[str]]
    headers: Any
    body: Any


class Answer(NamedTuple):
    status: int
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()


class Server:
    """Answers requests in the order of ``script``; a call without an answer left gets 599."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.script: list[Answer | str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65537)
                if not self.raw_requestline or not self.parse_request():
                    self.close_connection = True
                    return
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                parts = urlsplit(self.path)
                server.requests.append(
                    Request(
                        self.command,
                        parts.path,
                        parse_qs(parts.query),
                        self.headers,
                        json.loads(body) if body else None,
                    )
                )
                answer = server.script.pop(0) if server.script else Answer(599)
                if isinstance(answer, str):
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in answer.headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_arguments: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What would have been slept before second tries."""
    seconds: list[float] = []
    monkeypatch.setattr("urllib3.util.retry.time.sleep", seconds.append)
    return seconds


@pytest.fixture
def api(server: Server, slept: list[float]) -> KubeApi:
    return api_at(server.url)


def api_at(url: str, headers: dict[str, Any] | None = None) -> KubeApi:
    configuration = Configuration()
    configuration.host = url
    configuration.proxy = None
    configuration.api_key = {"authorization": "Bearer token"}
    return KubeApi(configuration, headers)


def status(code: int, reason: str, message: str) -> Answer:
    return Answer(code, {"kind": "Status", "apiVersion": "v1", "reason": reason, "message": message, "code": code})


def page(names: str, token: str | None = None) -> Answer:
    items = [{"metadata": {"name": name}} for name in names]
    return Answer(
        200,
        {"kind": "PersistentVolumeList", "apiVersion": "v1", "metadata": {"continue": token} if token else {}}
        | ({"items": items} if names else {"items": None}),
    )


BODY = {"metadata": {"name": "c", "namespace": "n"}}
OBJECT = {"kind": "PersistentVolumeClaim", "metadata": {"name": "c"}}


def names(items: list[dict[str, Any]]) -> list[str]:
    return [item["metadata"]["name"] for item in items]


def test_a_list_is_read_page_by_page(server: Server, api: KubeApi) -> None:
    server.script = [page("ab", "t/1=&"), page("cd", "t2"), page("")]
    assert names(api.list_all(VOLUMES, label_selector="a=b", field_selector="c=d")) == list("abcd")
    assert [request.query.get("continue") for request in server.requests] == [None, ["t/1=&"], ["t2"]]
    for request in server.requests:
        assert (request.method, request.path) == ("GET", "/api/v1/persistentvolumes")
        assert request.query["limit"] == ["500"]
        assert request.query["labelSelector"] == ["a=b"]
        assert request.query["fieldSelector"] == ["c=d"]


def test_items_of_a_list_say_what_they_are(server: Server, api: KubeApi) -> None:
    server.script = [page("a")]
    assert api.list_all(VOLUMES) == [{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "a"}}]


KINDS = [
    {"kind": "AgentConfig", "name": "agentconfigs", "namespaced": True},
    {"kind": "AgentConfig", "name": "agentconfigs/status", "namespaced": True},
    {"kind": "Cluster", "name": "clusters", "namespaced": False},
]
NOT_FOUND = Answer(404, b"404 page not found")


def test_the_kinds_of_a_group(server: Server, api: KubeApi) -> None:
    versions = [{"version": version, "groupVersion": f"getporter.org/{version}"} for version in ("v1", "v2")]
    server.script = [Answer(200, {"versions": versions}), Answer(200, {"resources": KINDS}), Answer(200, {})]
    assert api.kinds_of("getporter.org") == {
        "v1": {
            "AgentConfig": _api.Resource("/apis/getporter.org/v1", "agentconfigs"),
            "Cluster": _api.Resource("/apis/getporter.org/v1", "clusters", namespaced=False),
        },
        "v2": {},
    }
    assert [request.path for request in server.requests] == [
        "/apis/getporter.org",
        "/apis/getporter.org/v1",
        "/apis/getporter.org/v2",
    ]


def test_the_first_kinds(server: Server, api: KubeApi) -> None:
    server.script = [Answer(200, {"resources": [{"kind": "Pod", "name": "pods", "namespaced": True}]})]
    assert api.kinds_of("") == {"v1": {"Pod": _api.PODS}}
    assert server.requests[0].path == "/api/v1"


def test_e07_a_group_is_missing_where_the_list_of_groups_does_not_have_it(server: Server, api: KubeApi) -> None:
    """404 alone would be the answer of many things."""
    server.script = [NOT_FOUND, Answer(200, {"groups": [{"name": "apps"}]})]
    assert api.kinds_of("getporter.org") == {}
    assert server.requests[1].path == "/apis"


REFUSED = status(403, "Forbidden", "not allowed")


@pytest.mark.parametrize(
    "script",
    [[REFUSED], [NOT_FOUND, REFUSED], [NOT_FOUND, Answer(200, {"groups": [{"name": "getporter.org"}]})]],
    ids=["refused", "list-refused", "contradiction"],
)
def test_e07_kinds_that_cannot_be_looked_up_are_no_answer(script: Any, server: Server, api: KubeApi) -> None:
    server.script = script
    with pytest.raises(ApiError, match="not"):
        api.kinds_of("getporter.org")


def test_the_time_is_the_clusters(monkeypatch: pytest.MonkeyPatch, server: Server, api: KubeApi) -> None:
    date = "Mon, 30 Nov 2026 12:00:00 GMT"
    monkeypatch.setattr(BaseHTTPRequestHandler, "date_time_string", lambda _self, timestamp=None: date)
    server.script = [page("a")]
    api.list_all(VOLUMES)
    assert api.cluster_time().isoformat() == "2026-11-30T12:00:00+00:00"


def test_without_a_time_of_the_cluster_it_is_this_hosts(
    monkeypatch: pytest.MonkeyPatch, server: Server, api: KubeApi
) -> None:
    assert api.cluster_time().tzinfo
    monkeypatch.setattr(BaseHTTPRequestHandler, "date_time_string", lambda _self, timestamp=None: "yesterday")
    server.script = [page("a")]
    api.list_all(VOLUMES)
    assert api.cluster_time().tzinfo


def test_e07_a_page_that_fails_raises(server: Server, api: KubeApi) -> None:
    server.script = [page("ab", "t1"), status(403, "Forbidden", "no more")]
    with pytest.raises(ApiError, match="no more") as caught:
        api.list_all(VOLUMES)
    assert (caught.value.status, caught.value.reason) == (403, "Forbidden")


EXPIRED = status(410, "Expired", "the provided continue parameter is too old")


def test_e07_a_list_that_expired_is_read_from_the_beginning_in_one_answer(server: Server, api: KubeApi) -> None:
    server.script = [page("ab", "t1"), page("c", "t2"), EXPIRED, page("bcd")]
    assert names(api.list_all(VOLUMES, label_selector="a=b")) == list("bcd")
    asked = [(request.query.get("limit"), request.query.get("continue")) for request in server.requests]
    assert asked == [(["500"], None), (["500"], ["t1"]), (["500"], ["t2"]), (None, None)]
    assert server.requests[-1].query["labelSelector"] == ["a=b"]


def test_e07_a_list_that_expires_again_raises(server: Server, api: KubeApi) -> None:
    server.script = [page("ab", "t1"), EXPIRED, EXPIRED, page("abc")]
    with pytest.raises(ApiError, match="continue parameter is too old") as caught:
        api.list_all(VOLUMES)
    assert (caught.value.status, len(server.requests)) == (410, 3)


@pytest.mark.parametrize(
    ("resource", "namespace", "name", "path"),
    [
        (CLAIMS, "n", "c", "/api/v1/namespaces/n/persistentvolumeclaims/c"),
        (JOBS, "n", "c", "/apis/batch/v1/namespaces/n/jobs/c"),
        (JOBS, None, None, "/apis/batch/v1/jobs"),
        (VOLUMES, None, "a/b c", "/api/v1/persistentvolumes/a%2Fb%20c"),
        # A volume has no namespace, whatever is asked.
        (VOLUMES, "n", "v", "/api/v1/persistentvolumes/v"),
    ],
)
def test_paths(resource: _api.Resource, namespace: str | None, name: str | None, path: str) -> None:
    assert resource.path(namespace, name) == path


def test_get(server: Server, api: KubeApi) -> None:
    server.script = [Answer(200, OBJECT), status(404, "NotFound", "no c")]
    assert api.get(CLAIMS, "c", "n") == OBJECT
    assert api.get(CLAIMS, "c", "n") is None


@pytest.mark.parametrize(
    "call",
    [
        lambda api: api.get(CLAIMS, "c", "n"),
        lambda api: api.list_all(CLAIMS, "n"),
        lambda api: api.create(CLAIMS, BODY),
        lambda api: api.merge_patch(CLAIMS, "c", {}, "n"),
        lambda api: api.delete(CLAIMS, "c", "n", uid="u"),
        lambda api: api.pod_log("n", "p", "c"),
    ],
    ids=["get", "list", "create", "patch", "delete", "log"],
)
def test_a_refusal_is_told_in_the_clusters_words(call: Callable[[KubeApi], Any], server: Server, api: KubeApi) -> None:
    server.script = [status(403, "Forbidden", 'User "x" cannot do that')]
    with pytest.raises(ApiError, match=r'/n/.*: User "x" cannot do that \(403\)') as caught:
        call(api)
    assert caught.value.as_result()["reason"] == "Forbidden"
    assert caught.value.status == 403
    assert not isinstance(caught.value, ConflictError)


def test_f07_a_refusal_for_missing_rights_tells_the_rule(server: Server, api: KubeApi) -> None:
    words = 'persistentvolumes is forbidden: User "x" cannot list resource "persistentvolumes" in API group "" at the '
    server.script = [status(403, "Forbidden", words + "cluster scope")]
    with pytest.raises(ApiError) as caught:
        api.list_all(VOLUMES)
    assert caught.value.message.splitlines() == [
        f"GET /api/v1/persistentvolumes: {words}cluster scope (403)",
        "Missing in a ClusterRole:",
        "- {apiGroups: [''], resources: [persistentvolumes], verbs: [list]}",
        "docs/rbac/cluster.yml of the collection getporter.porter holds all rules that it needs.",
    ]
    assert caught.value.words == caught.value.message.splitlines()[0]


def test_c02_a_refusal_by_admission_is_passed_through(server: Server, api: KubeApi) -> None:
    words = (
        "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>"
    )
    server.script = [status(403, "Forbidden", f'persistentvolumeclaims "c" is forbidden: {words}')]
    with pytest.raises(ApiError) as caught:
        api.create(CLAIMS, BODY)
    assert caught.value.message.endswith(words + " (403)")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>bad gateway</html>", "<html>bad gateway</html>"),
        (b"", "no message"),
        (b"[1]", "[1]"),
        ({"reason": "Invalid"}, "Invalid"),
        (b"x" * 2000, "x" * 500),
        (b"\xff", "\ufffd"),
    ],
    ids=["html", "empty", "no-object", "reason-only", "long", "no-text"],
)
def test_a_refusal_without_a_status_object(body: Any, words: str, server: Server, api: KubeApi) -> None:
    server.script = [Answer(422, body)]
    with pytest.raises(ApiError) as caught:
        api.create(CLAIMS, BODY)
    assert caught.value.message == f"POST /api/v1/namespaces/n/persistentvolumeclaims: {words} (422)"


@pytest.mark.parametrize(
    "call",
    [
        lambda api: api.create(CLAIMS, BODY),
        lambda api: api.merge_patch(CLAIMS, "c", {}, "n"),
        lambda api: api.delete(CLAIMS, "c", "n", uid="u"),
    ],
    ids=["create", "patch", "delete"],
)
def test_409_is_a_conflict(call: Callable[[KubeApi], Any], server: Server, api: KubeApi) -> None:
    server.script = [status(409, "AlreadyExists", "c already exists")]
    with pytest.raises(ConflictError, match="already exists"):
        call(api)


def test_create_sends_json_to_the_objects_namespace(server: Server, api: KubeApi) -> None:
    server.script = [Answer(201, OBJECT)]
    assert api.create(CLAIMS, BODY) == OBJECT
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/api/v1/namespaces/n/persistentvolumeclaims")
    assert (request.headers["Content-Type"], request.body) == ("application/json", BODY)


def test_a_merge_patch_says_that_it_is_one(server: Server, api: KubeApi) -> None:
    """E04: whose merge_type no library has to know."""
    server.script = [Answer(200, OBJECT)]
    patch = {"metadata": {"resourceVersion": "7", "annotations": {"a": None}}}
    assert api.merge_patch(VOLUMES, "v", patch) == OBJECT
    (request,) = server.requests
    assert (request.method, request.path, request.body) == ("PATCH", "/api/v1/persistentvolumes/v", patch)
    assert request.headers["Content-Type"] == "application/merge-patch+json"


OPERATIONS = [{"op": "test", "path": "/metadata/uid", "value": "u"}]


def test_e04_a_json_patch_says_that_it_is_one(server: Server, api: KubeApi) -> None:
    server.script = [Answer(200, OBJECT)]
    assert api.json_patch(CLAIMS, "c", OPERATIONS, "n") == OBJECT
    (request,) = server.requests
    assert (request.method, request.path) == ("PATCH", "/api/v1/namespaces/n/persistentvolumeclaims/c")
    assert (request.headers["Content-Type"], request.body) == ("application/json-patch+json", OPERATIONS)


INVALID_FIELD = {"name": "c", "kind": "PersistentVolumeClaim", "causes": [{"field": "metadata.ownerReferences.uid"}]}


@pytest.mark.parametrize(
    ("code", "details", "is_conflict"),
    [
        (404, {"name": "c"}, True),
        (409, {"name": "c"}, True),
        # As Kubernetes answers where a test fails.
        (422, {}, True),
        (422, INVALID_FIELD, False),
        (403, {"name": "c"}, False),
    ],
    ids=["gone", "conflict", "failed-test", "invalid", "forbidden"],
)
def test_e06_a_json_patch_that_does_not_apply_is_a_conflict(
    code: int, details: dict[str, Any], is_conflict: bool, server: Server, api: KubeApi
) -> None:
    answer = status(code, "R", "the server rejected our request")
    server.script = [Answer(code, {**answer.body, "details": details})]
    with pytest.raises(ApiError, match=rf"/c: the server rejected our request \({code}\)") as caught:
        api.json_patch(CLAIMS, "c", OPERATIONS, "n")
    assert isinstance(caught.value, ConflictError) is is_conflict
    assert caught.value.as_result().keys() == {"msg", "status", "reason"}


def test_only_the_metadata_is_asked_for_where_that_is_enough(server: Server, api: KubeApi) -> None:
    server.script = [Answer(200, OBJECT), page("a")]
    assert api.get(CLAIMS, "c", "n", metadata_only=True) == OBJECT
    assert names(api.list_all(VOLUMES, metadata_only=True)) == ["a"]
    accepted = [request.headers["Accept"] for request in server.requests]
    for header, kind in zip(accepted, ("PartialObjectMetadata", "PartialObjectMetadataList"), strict=True):
        assert header == f"application/json;as={kind};v=v1;g=meta.k8s.io,application/json"


def resources(*entries: tuple[str, str, bool]) -> Answer:
    listed = [
        {"name": name, "kind": kind, "namespaced": namespaced, "verbs": ["create", "get", "list"]}
        for name, kind, namespaced in entries
    ]
    return Answer(200, {"kind": "APIResourceList", "resources": [*listed, {"name": "x", "kind": "X", "verbs": []}]})


@pytest.mark.parametrize(
    ("api_version", "kind", "path", "expected"),
    [
        ("v1", "Secret", "/api/v1", _api.SECRETS),
        ("v1", "Node", "/api/v1", _api.NODES),
        ("getporter.org/v1", "AgentConfig", "/apis/getporter.org/v1", ("/apis/getporter.org/v1", "agentconfigs", True)),
    ],
)
def test_a_kind_is_looked_up_in_one_request(
    api_version: str, kind: str, path: str, expected: Any, server: Server, api: KubeApi
) -> None:
    server.script = [
        resources(
            ("secrets", "Secret", True),
            ("nodes", "Node", False),
            ("agentconfigs", "AgentConfig", True),
            # A subresource of the same kind, and one of a kind that is no object.
            ("agentconfigs/status", "AgentConfig", True),
            ("nodes/proxy", "NodeProxyOptions", False),
        )
    ]
    assert api.resource_of(api_version, kind) == expected
    assert [(request.method, request.path) for request in server.requests] == [("GET", path)]


def test_the_usual_kind_is_known_without_a_request(server: Server, api: KubeApi) -> None:
    assert api.resource_of("v1", "ConfigMap") == _api.CONFIG_MAPS
    assert server.requests == []


def test_an_unknown_kind_is_answered_with_those_that_there_are(server: Server, api: KubeApi) -> None:
    server.script = [
        resources(("secrets", "Secret", True), ("secrets/x", "Sub", True), ("configmaps", "ConfigMap", True))
    ]
    with pytest.raises(InputError, match=r'must be one of ConfigMap, Secret, not "configmap"\. Did you mean ConfigMap'):
        api.resource_of("v1", "configmap")


def test_an_unknown_api_version_is_told(server: Server, api: KubeApi) -> None:
    server.script = [Answer(404, b"404 page not found"), status(403, "Forbidden", "no discovery for you")]
    with pytest.raises(InputError, match=r"has no API version getporter.org/v9\. .*kubectl api-versions"):
        api.resource_of("getporter.org/v9", "AgentConfig")
    with pytest.raises(ApiError, match="no discovery for you"):
        api.resource_of("getporter.org/v9", "AgentConfig")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"propagationPolicy": "Background", "preconditions": {"uid": "u"}}),
        (
            {"resource_version": "7", "propagation": "Foreground"},
            {"propagationPolicy": "Foreground", "preconditions": {"uid": "u", "resourceVersion": "7"}},
        ),
    ],
    ids=["uid", "uid-and-version"],
)
@pytest.mark.parametrize("answer", [Answer(200, OBJECT), status(404, "NotFound", "gone")], ids=["there", "gone"])
def test_delete_names_the_object_that_was_seen(
    options: dict[str, str], expected: dict[str, Any], answer: Answer, server: Server, api: KubeApi
) -> None:
    server.script = [answer]
    api.delete(JOBS, "j", "n", uid="u", **options)
    (request,) = server.requests
    assert (request.method, request.path, request.body) == ("DELETE", "/apis/batch/v1/namespaces/n/jobs/j", expected)


WRITES: list[Callable[[KubeApi], Any]] = [
    lambda api: api.get(CLAIMS, "c", "n"),
    lambda api: api.create(CLAIMS, BODY),
    lambda api: api.merge_patch(CLAIMS, "c", {}, "n"),
    lambda api: api.json_patch(CLAIMS, "c", OPERATIONS, "n"),
    lambda api: api.delete(CLAIMS, "c", "n", uid="u"),
]
WRITE_IDS = ["get", "create", "patch", "json-patch", "delete"]


@pytest.mark.parametrize("call", WRITES, ids=WRITE_IDS)
@pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
def test_a_busy_server_is_ridden_out(
    call: Callable[[KubeApi], Any], code: int, server: Server, api: KubeApi, slept: list[float]
) -> None:
    server.script = [Answer(code, b"busy", (("Retry-After", "3"),)), Answer(200, OBJECT)]
    call(api)
    assert len(server.requests) == 2
    assert server.requests[0][:3] == server.requests[1][:3]
    assert server.requests[0].body == server.requests[1].body
    assert slept == [3]


@pytest.mark.parametrize("call", WRITES, ids=WRITE_IDS)
def test_a_cut_connection_is_ridden_out(call: Callable[[KubeApi], Any], server: Server, api: KubeApi) -> None:
    server.script = [CUT, Answer(200, OBJECT)]
    call(api)
    assert len(server.requests) == 2


def test_a_server_that_stays_busy_is_told(server: Server, api: KubeApi) -> None:
    server.script = [status(503, "ServiceUnavailable", "etcd is down")] * 20
    with pytest.raises(ApiError, match=r"etcd is down \(503\)"):
        api.create(CLAIMS, BODY)
    assert 2 < len(server.requests) < 20


@pytest.mark.parametrize("wish", ["86400", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_busy_server_cannot_ask_for_hours(wish: str, server: Server, api: KubeApi, slept: list[float]) -> None:
    server.script = [status(429, "TooManyRequests", "slow down")._replace(headers=(("Retry-After", wish),))] * 20
    with pytest.raises(ApiError, match=r"slow down \(429\)"):
        api.create(CLAIMS, BODY)
    assert slept == [_api.MOST_RETRY_AFTER] * (len(server.requests) - 1)
    assert 30 < sum(slept) <= 60


def test_a_wish_that_cannot_be_read_is_passed_over(server: Server, api: KubeApi) -> None:
    server.script = [Answer(503, headers=(("Retry-After", "soon"),)), Answer(200, OBJECT)]
    assert api.create(CLAIMS, BODY) == OBJECT


@pytest.mark.parametrize("code", [400, 401, 403, 404, 409, 422])
def test_an_answer_that_a_second_try_cannot_change_is_final(code: int, server: Server, api: KubeApi) -> None:
    server.script = [status(code, "R", "m"), Answer(200, OBJECT)]
    with pytest.raises(ApiError):
        api.create(CLAIMS, BODY)
    assert len(server.requests) == 1


def test_a_cluster_that_does_not_answer_is_unreachable(slept: list[float]) -> None:
    with contextlib.closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(UnreachableError, match=r"did not answer: .*Check the address") as caught:
        api_at(url).list_all(VOLUMES)
    assert url in caught.value.message
    assert slept, "it was tried again before giving up"


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999", "nothing://127.0.0.1"])
def test_an_address_that_is_none_is_unreachable(url: str, slept: list[float]) -> None:
    with pytest.raises(UnreachableError, match="Check the address"):
        api_at(url).get(VOLUMES, "v")


@pytest.mark.parametrize(
    "body", [b"<html>please log in</html>", b"[]", b'"ok"', b""], ids=["html", "list", "text", "no"]
)
def test_an_answer_of_something_else_is_told(body: bytes, server: Server, api: KubeApi) -> None:
    server.script = [Answer(200, body)]
    with pytest.raises(UnreachableError, match=r"no Kubernetes API.*Check the address"):
        api.list_all(VOLUMES)


def test_the_authorization_is_asked_anew_for_each_request(server: Server, slept: list[float]) -> None:
    configuration = Configuration()
    configuration.host, configuration.proxy = server.url, None
    tokens = iter(["Bearer one", "Bearer two"])
    configuration.api_key = {"authorization": "Bearer none"}
    configuration.refresh_api_key_hook = lambda it: it.api_key.update(authorization=next(tokens))
    api = KubeApi(configuration)
    server.script = [Answer(200, OBJECT), Answer(200, OBJECT)]
    api.get(VOLUMES, "v")
    api.get(VOLUMES, "v")
    assert [request.headers.get_all("Authorization") for request in server.requests] == [["Bearer one"], ["Bearer two"]]


def test_no_authorization_without_a_token(server: Server, slept: list[float]) -> None:
    configuration = Configuration()
    configuration.host, configuration.proxy, configuration.api_key = server.url, None, {}
    server.script = [Answer(200, OBJECT)]
    KubeApi(configuration).get(VOLUMES, "v")
    assert server.requests[0].headers["Authorization"] is None


def test_f02_a_token_that_ends_in_a_newline_is_usable(server: Server, slept: list[float]) -> None:
    configuration = Configuration()
    configuration.host, configuration.proxy = server.url, None
    configuration.api_key = {"authorization": "Bearer secret\n"}
    server.script = [Answer(200, OBJECT)]
    KubeApi(configuration).get(VOLUMES, "v")
    assert server.requests[0].headers["Authorization"] == "Bearer secret"


def test_f02_a_token_of_two_lines_is_refused_without_showing_it(server: Server, slept: list[float]) -> None:
    configuration = Configuration()
    configuration.host, configuration.proxy = server.url, None
    configuration.api_key = {"authorization": "Bearer secret\nx"}
    with pytest.raises(InputError, match="line break") as caught:
        KubeApi(configuration).get(VOLUMES, "v")
    assert "secret" not in caught.value.message
    assert server.requests == []


def test_each_impersonated_group_is_a_header_of_its_own(server: Server, slept: list[float]) -> None:
    server.script = [Answer(200, OBJECT)]
    api_at(server.url, {"Impersonate-User": "jane", "Impersonate-Group": ["a", "b"]}).get(VOLUMES, "v")
    headers = server.requests[0].headers
    assert headers.get_all("Impersonate-Group") == ["a", "b"]
    assert headers.get_all("Impersonate-User") == ["jane"]
    assert headers["Accept"] == "application/json"
    assert headers["Authorization"] == "Bearer token"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(200, b"one\ntwo\xff\n"), "one\ntwo\ufffd\n"),
        (status(404, "NotFound", "no pod"), None),
        (status(400, "BadRequest", "container is waiting to start"), None),
        (status(500, "InternalError", "dial tcp: no route to host"), None),
    ],
    ids=["text", "no-pod", "not-started", "node-gone"],
)
def test_pod_log(answer: Answer, expected: str | None, server: Server, api: KubeApi) -> None:
    server.script = [answer] * 10
    assert api.pod_log("n", "p", "c", tail_lines=7) == expected
    request = server.requests[0]
    assert request.path == "/api/v1/namespaces/n/pods/p/log"
    assert (request.query["container"], request.query["tailLines"]) == (["c"], ["7"])


class FakeModule:
    """As much of an AnsibleModule as connecting needs."""

    def __init__(self, **params: Any) -> None:
        self.params = params
        self.no_log_values: set[str] = set()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """An environment that names no cluster."""

    for name in list(os.environ):
        if name.startswith(("K8S_AUTH_", "KUBERNETES_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    missing = str(tmp_path / "none")
    monkeypatch.setenv("KUBECONFIG", missing)
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", missing)
    monkeypatch.setattr("kubernetes.config.incluster_config.SERVICE_TOKEN_FILENAME", missing)


SOURCES = ("K8S_AUTH_KUBECONFIG", "K8S_AUTH_HOST", "K8S_AUTH_API_KEY", "service account token")


@pytest.mark.parametrize(
    "params", [{}, {"host": "https://127.0.0.1:6443"}, {"kubeconfig": "/nowhere/config"}], ids=["no", "host", "file"]
)
def test_f01_without_a_configuration_the_accepted_sources_are_named(bare: None, params: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="No usable Kubernetes connection") as caught:
        connect(FakeModule(**params))
    for source in SOURCES:
        assert source in caught.value.message


@pytest.mark.parametrize("content", ["token: [secret\n", "- secret\n", "users: secret\n"])
def test_a_broken_kubeconfig_is_told_without_showing_it(bare: None, content: str, tmp_path: Any) -> None:
    broken = tmp_path / "config"
    broken.write_text(content)
    with pytest.raises(InputError, match="No usable Kubernetes connection") as caught:
        connect(FakeModule(kubeconfig=str(broken)))
    assert "secret" not in caught.value.message


def test_an_address_that_cannot_be_read_is_told(bare: None) -> None:
    with pytest.raises(InputError, match="No usable Kubernetes connection"):
        connect(FakeModule(host="http://[::bad", api_key="secret"))


def test_f01_the_awx_credential_alone_is_enough(
    bare: None, server: Server, monkeypatch: pytest.MonkeyPatch, slept: list[float]
) -> None:
    for name, value in (("HOST", server.url + "/"), ("API_KEY", "secret\n"), ("VERIFY_SSL", "False")):
        monkeypatch.setenv("K8S_AUTH_" + name, value)
    monkeypatch.setenv("K8S_AUTH_IMPERSONATE_GROUPS", "a,b")
    module = FakeModule()
    server.script = [Answer(200, OBJECT)]
    assert connect(module).get(VOLUMES, "v") == OBJECT
    (request,) = server.requests
    assert (request.path, request.headers["Authorization"]) == ("/api/v1/persistentvolumes/v", "Bearer secret")
    assert request.headers.get_all("Impersonate-Group") == ["a", "b"]
    assert "secret" in module.no_log_values


DEAD_PROXY = "http://127.0.0.1:9"
# Which of the two counts: the one for the scheme of the API's address.
PROXY_VARIABLES = {"HTTP_PROXY": DEAD_PROXY, "HTTPS_PROXY": DEAD_PROXY}


@pytest.mark.parametrize(
    ("variables", "options", "reached"),
    [
        pytest.param({}, {}, True, id="none"),
        pytest.param(PROXY_VARIABLES, {}, False, id="environment"),
        pytest.param({**PROXY_VARIABLES, "NO_PROXY": "127.0.0.1"}, {}, True, id="environment-exempt"),
        pytest.param({"K8S_AUTH_PROXY": DEAD_PROXY}, {}, False, id="K8S_AUTH"),
        pytest.param({"K8S_AUTH_PROXY": DEAD_PROXY, "K8S_AUTH_NO_PROXY": "127.0.0.1"}, {}, True, id="K8S_AUTH-exempt"),
        pytest.param({}, {"proxy": DEAD_PROXY}, False, id="option"),
        pytest.param({}, {"proxy": DEAD_PROXY, "no_proxy": "127.0.0.1"}, True, id="option-exempt"),
    ],
)
def test_e12_proxies(
    bare: None,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    slept: list[float],
    variables: dict[str, str],
    options: dict[str, str],
    reached: bool,
) -> None:
    """E12: as kubernetes.core and its library read them."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    server.script = [Answer(200, OBJECT)]
    api = connect(FakeModule(host=server.url, api_key="secret", **options))
    with contextlib.nullcontext() if reached else pytest.raises(UnreachableError, match="proxy options"):
        api.get(VOLUMES, "v")
    assert bool(server.requests) == reached


def test_e13_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_api, "IMPORT_ERROR", "the traceback")
    with pytest.raises(MissingLibraryError) as caught:
        connect(FakeModule())
    assert caught.value.library == "kubernetes"
    assert caught.value.as_result()["exception"] == "the traceback"
    assert isinstance(caught.value, PorterError)


def test_second_tries_end_before_a_minute() -> None:
    """The waits between all tries together, without an answer's own wish."""
    retries: urllib3.Retry = _api._retries()
    total = 0.0
    while not retries.is_exhausted() and retries.total:
        retries = retries.increment("GET", "/", error=OSError())
        total += retries.get_backoff_time()
    assert 5 < total < 60
