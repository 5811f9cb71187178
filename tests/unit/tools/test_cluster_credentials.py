# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Certificates and kubeconfigs."""

from __future__ import annotations

import base64
import datetime
import ipaddress
from pathlib import Path

import pytest
import yaml
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tools.local_cluster import credentials, pki
from tools.local_cluster.errors import ClusterError
from tools.local_cluster.kubeconfig import current_kubeconfig
from tools.local_cluster.network import Link
from tools.local_cluster.paths import ClusterPaths

LINK = Link(ipaddress.IPv4Network("10.213.0.8/30"))


def certificate(pair: pki.KeyPair) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pair.certificate)


@pytest.fixture(scope="module")
def authority() -> pki.Authority:
    return pki.Authority("test authority")


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> ClusterPaths:
    written = ClusterPaths(tmp_path_factory.mktemp("clusters") / "it-a")
    credentials.write(written, "it-a", LINK)
    return written


def test_the_authority_signs_certificates(authority: pki.Authority) -> None:
    own = certificate(authority.pair)
    issued = certificate(authority.issue(pki.Subject("someone")))

    issued.verify_directly_issued_by(own)
    assert own.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert not issued.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    with pytest.raises(InvalidSignature):
        issued.verify_directly_issued_by(certificate(pki.Authority("test authority").pair))


def test_a_key_belongs_to_its_certificate(authority: pki.Authority) -> None:
    pair = authority.issue(pki.Subject("someone"))
    key = serialization.load_pem_private_key(pair.key, None)
    assert key.public_key() == certificate(pair).public_key()


def test_a_user_is_a_client_with_a_group(authority: pki.Authority) -> None:
    issued = certificate(authority.issue(pki.Subject("jane", group="admins")))

    assert [each.value for each in issued.subject.get_attributes_for_oid(NameOID.COMMON_NAME)] == ["jane"]
    assert [each.value for each in issued.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)] == ["admins"]
    usage = issued.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.CLIENT_AUTH]


def test_a_server_has_its_names(authority: pki.Authority) -> None:
    issued = certificate(authority.issue(pki.Subject("web", dns=("web.example",), addresses=("192.0.2.7",))))

    names = issued.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["web.example"]
    assert names.get_values_for_type(x509.IPAddress) == [ipaddress.ip_address("192.0.2.7")]
    usage = issued.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert ExtendedKeyUsageOID.SERVER_AUTH in usage


def test_a_certificate_is_valid_now_and_for_a_while(authority: pki.Authority) -> None:
    issued = certificate(authority.issue(pki.Subject("someone")))
    now = datetime.datetime.now(datetime.UTC)
    assert issued.not_valid_before_utc < now < now + datetime.timedelta(days=300) < issued.not_valid_after_utc


def test_the_api_server_is_known_by_every_address_that_it_is_called_by(paths: ClusterPaths) -> None:
    issued = x509.load_pem_x509_certificate((paths.pki / "apiserver.crt").read_bytes())
    names = issued.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    addresses = {str(each) for each in names.get_values_for_type(x509.IPAddress)}
    assert addresses == {"127.0.0.1", "10.213.0.10", "10.96.0.1"}
    assert "kubernetes.default.svc" in names.get_values_for_type(x509.DNSName)


def test_every_certificate_is_of_the_one_authority(paths: ClusterPaths) -> None:
    own = x509.load_pem_x509_certificate((paths.pki / "ca.crt").read_bytes())
    others = [each for each in paths.pki.glob("*.crt") if each.name != "ca.crt"]
    assert len(others) == 5
    for each in others:
        x509.load_pem_x509_certificate(each.read_bytes()).verify_directly_issued_by(own)


def test_secrets_are_for_the_owner_alone(paths: ClusterPaths) -> None:
    files = [each for each in paths.directory.rglob("*") if each.is_file()]
    assert len(files) == 2 * 6 + 1 + 5 + 1
    assert {each.stat().st_mode & 0o777 for each in files} == {0o600}


def test_the_kubeconfig_is_complete(paths: ClusterPaths) -> None:
    loaded = yaml.safe_load(paths.kubeconfig.read_text(encoding="utf-8"))

    assert loaded["current-context"] == "it-a"
    (context,) = loaded["contexts"]
    assert context == {"name": "it-a", "context": {"cluster": "it-a", "user": "kubernetes-admin"}}
    (cluster,) = loaded["clusters"]
    assert cluster["cluster"]["server"] == "https://10.213.0.10:6443"
    authority = base64.b64decode(cluster["cluster"]["certificate-authority-data"])
    assert authority == (paths.pki / "ca.crt").read_bytes()
    (user,) = loaded["users"]
    issued = x509.load_pem_x509_certificate(base64.b64decode(user["user"]["client-certificate-data"]))
    assert issued.subject.rfc4514_string() == "CN=kubernetes-admin,O=system:masters"


@pytest.mark.parametrize(
    ("file", "subject"),
    [
        ("kubelet", "CN=system:node:it-a,O=system:nodes"),
        ("controller-manager", "CN=system:kube-controller-manager"),
        ("scheduler", "CN=system:kube-scheduler"),
        ("proxy", "CN=system:kube-proxy"),
        ("provisioner", "CN=local-provisioner,O=system:masters"),
    ],
)
def test_each_component_is_a_user_of_its_own(file: str, subject: str, paths: ClusterPaths) -> None:
    loaded = yaml.safe_load((paths.config / f"{file}.kubeconfig").read_text(encoding="utf-8"))
    data = base64.b64decode(loaded["users"][0]["user"]["client-certificate-data"])
    assert x509.load_pem_x509_certificate(data).subject.rfc4514_string() == subject
    assert loaded["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:6443"


def test_the_current_kubeconfig_is_the_one_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    assert current_kubeconfig({"KUBECONFIG": str(tmp_path / "mine")}, tmp_path) == tmp_path / "mine"


def test_the_current_kubeconfig_is_in_the_home_directory_by_default(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text("")
    assert current_kubeconfig({}, tmp_path) == tmp_path / ".kube" / "config"


def test_a_missing_kubeconfig_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="there is no kubeconfig"):
        current_kubeconfig({}, tmp_path)


def test_several_kubeconfigs_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="several"):
        current_kubeconfig({"KUBECONFIG": f"{tmp_path}/a:{tmp_path}/b"}, tmp_path)
