# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Keys and certificates of a cluster."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from .files import write_file

LIFETIME = datetime.timedelta(days=365)
# For clocks that step back a little, as those of virtual machines do.
BACKDATED = datetime.timedelta(minutes=5)


@dataclass(frozen=True)
class Subject:
    """Whom a certificate is for.

    Attributes:
        name: common name; for Kubernetes the user.
        group: organization; for Kubernetes the user's group.
        dns: host names of a server.
        addresses: IP addresses of a server.
    """

    name: str
    group: str = ""
    dns: Sequence[str] = ()
    addresses: Sequence[str] = ()


@dataclass(frozen=True)
class KeyPair:
    """A private key and its certificate, both as PEM."""

    key: bytes
    certificate: bytes

    def save(self, directory: Path, name: str) -> None:
        """Write NAME.key and NAME.crt to a directory."""
        write_file(directory / f"{name}.key", self.key)
        write_file(directory / f"{name}.crt", self.certificate)


class Authority:
    """A new certificate authority, whose key is on no disk unless saved."""

    def __init__(self, name: str) -> None:
        """Make the authority's key and certificate."""
        self._key = new_key()
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = _builder(self._name, self._name, self._key.public_key()).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        usage = _key_usage(sign_certificates=True)
        self._certificate = builder.add_extension(usage, critical=True).sign(self._key, hashes.SHA256())

    @property
    def pair(self) -> KeyPair:
        """The authority's own key and certificate."""
        return KeyPair(key_pem(self._key), _certificate_pem(self._certificate))

    def issue(self, subject: Subject) -> KeyPair:
        """Return a new key and a certificate for it: a server's if it has names or addresses, and a client's."""
        key = new_key()
        attributes = [x509.NameAttribute(NameOID.COMMON_NAME, subject.name)]
        if subject.group:
            attributes.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, subject.group))
        builder = _builder(x509.Name(attributes), self._name, key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(_key_usage(sign_certificates=False), critical=True)
        builder = _add_purpose(builder, subject)
        return KeyPair(key_pem(key), _certificate_pem(builder.sign(self._key, hashes.SHA256())))


def new_key() -> ec.EllipticCurvePrivateKey:
    """Return a new private key (an elliptic curve's: made in no time)."""
    return ec.generate_private_key(ec.SECP256R1())


def key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return a private key as unencrypted PEM."""
    # Not PKCS 8: the API server reads the key of service accounts in this form only.
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + LIFETIME)
    )


def _add_purpose(builder: x509.CertificateBuilder, subject: Subject) -> x509.CertificateBuilder:
    names: list[x509.GeneralName] = [x509.DNSName(each) for each in subject.dns]
    names += [x509.IPAddress(ipaddress.ip_address(each)) for each in subject.addresses]
    purposes = [ExtendedKeyUsageOID.CLIENT_AUTH]
    if names:
        purposes.append(ExtendedKeyUsageOID.SERVER_AUTH)
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)


def _key_usage(*, sign_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=sign_certificates,
        crl_sign=sign_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _certificate_pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
