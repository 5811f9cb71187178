# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A proxy between the collection and the API server, on the loopback, that does harm when it is told to."""

from __future__ import annotations

import base64
import http.client
import json
import os
import ssl
import subprocess
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from tests.faults.kinds import CONTROL

ROOT = Path(__file__).resolve().parents[2]
MITMDUMP = ROOT / ".build" / "mitmproxy" / "bin" / "mitmdump"
ADDON = Path(__file__).with_name("addon.py")
# Seconds for the proxy to start, on a busy machine, and to answer.
PATIENCE = 90


class Proxy:
    """One process of mitmproxy. It serves one run at a time; all that it writes is in ``folder``."""

    def __init__(self, kubeconfig: str, folder: Path) -> None:
        self.certificate = folder / "mitmproxy-ca-cert.pem"
        self._port_file = folder / "port"
        self._log = folder / "log"
        server, authority = _server_of(kubeconfig)
        authority_file = folder / "cluster-ca.pem"
        authority_file.write_bytes(authority)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                _command(server, authority_file, folder, self._port_file),
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            self.port = self._wait_for_port()
            self._connection = http.client.HTTPSConnection(
                "127.0.0.1",
                self.port,
                context=ssl.create_default_context(cafile=str(self.certificate)),
                timeout=PATIENCE,
            )
            self.plan()
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        """The address of the API server, for the collection."""
        return f"https://127.0.0.1:{self.port}"

    def connection(self, token: str) -> dict[str, str]:
        """The environment in which the collection goes through the proxy, with this token."""
        return {
            "K8S_AUTH_HOST": self.url,
            "K8S_AUTH_API_KEY": token,
            "K8S_AUTH_SSL_CA_CERT": str(self.certificate),
        }

    def plan(self, point: str | None = None, fault: str | None = None, turn: int | None = None) -> None:
        """What happens to the next run: nothing, or this fault at this point, or at the one whose turn it is."""
        self._tell("plan", {"point": point, "fault": fault, "turn": turn})

    def waits_for_the_kill(self) -> bool:
        """Whether the run has come to where it is to be killed; asks for half a second."""
        return bool(self._tell("wait")["waiting"])

    def run_is_killed(self) -> None:
        """The request that the proxy holds may be dropped."""
        self._tell("killed")

    def met(self) -> bool:
        """Whether the run has come to the planned point."""
        return bool(self._tell("state")["met"])

    def wrote(self) -> bool:
        """Whether the API server has accepted any write of the run."""
        return bool(self._tell("state")["wrote"])

    def points(self) -> list[str]:
        """The points that the run has reached."""
        return list(self._tell("state")["points"])

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _tell(self, command: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        try:
            self._connection.request("POST", CONTROL + command, body=json.dumps(body or {}))
            answer: dict[str, Any] = json.loads(self._connection.getresponse().read())
        except BaseException:
            # An interrupt amidst a question: the next one needs a new connection.
            self._connection.close()
            raise
        return answer

    def _wait_for_port(self) -> int:
        deadline = time.monotonic() + PATIENCE
        while not self._port_file.exists():
            ended = self._process.poll() is not None
            assert not ended and time.monotonic() < deadline, f"the proxy did not start: {self._log.read_text()}"
            time.sleep(0.1)
        return int(self._port_file.read_text())


def _command(server: str, authority: Path, folder: Path, port_file: Path) -> list[str]:
    options = {
        "confdir": folder,
        "ssl_verify_upstream_trusted_ca": authority,
        # Each request is seen before anything of it goes to the API server, a connection included.
        "connection_strategy": "lazy",
        "upstream_cert": "false",
        "http2": "false",
        "termlog_verbosity": "warn",
        "flow_detail": 0,
        "faults_port_file": port_file,
    }
    settings = [word for key, value in options.items() for word in ("--set", f"{key}={value}")]
    return [str(MITMDUMP), "--mode", f"reverse:{server}@127.0.0.1:0", "--scripts", str(ADDON), *settings]


def _server_of(kubeconfig: str) -> tuple[str, bytes]:
    """The address of the API server, and the certificate of its authority."""
    content = yaml.safe_load(Path(kubeconfig).read_text())
    (context,) = [each["context"] for each in content["contexts"] if each["name"] == content["current-context"]]
    (cluster,) = [each["cluster"] for each in content["clusters"] if each["name"] == context["cluster"]]
    address = urlsplit(cluster["server"])
    if "certificate-authority-data" in cluster:
        authority = base64.b64decode(cluster["certificate-authority-data"])
    else:
        authority = Path(kubeconfig).parent.joinpath(cluster["certificate-authority"]).read_bytes()
    return f"https://{address.hostname}:{address.port or 443}", authority
