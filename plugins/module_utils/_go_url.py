# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Parse and write URLs exactly as Go's net/url package does.

This file is private to the collection: not a public interface.

The Porter Operator puts ``url.Parse(x).String()`` of each plugin URL into the
text that it hashes to a claim name, so every quirk of that round trip decides
whether two names are equal: what is escaped again, what is lower-cased, what is
an error. Python's urllib has other rules. The reference is Go 1.26; the fixture
``tests/unit/data/go_urls.json`` was produced by it.

Go works on bytes. Here a URL is worked on as text of one character per byte
(latin-1), so that byte rules can be written as string operations.
"""

from __future__ import annotations

import re

_ALPHANUMERIC = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_UNRESERVED = _ALPHANUMERIC + "-_.~"

# What Go leaves unescaped in each part of a URL. These are not RFC 3986's sets:
# "'" is escaped in a fragment, "<" and '"' are not escaped in a host.
_PATH: frozenset[str] = frozenset(_UNRESERVED + "$&+,/:;=@")
_FRAGMENT: frozenset[str] = frozenset(_UNRESERVED + "!$&()*+,/:;=?@")
_USER: frozenset[str] = frozenset(_UNRESERVED + "$&+,;=")
_HOST: frozenset[str] = frozenset(_UNRESERVED + "!\"$&'()*+,:;<=>[]")

# A path or fragment made of these, of its own set and of escapes is kept as written.
_KEPT_AS_WRITTEN = frozenset("!$&'()*+,;=:@[]%")
_USERINFO = frozenset(_ALPHANUMERIC + "-._:~!$&'()*+,;=%@")

_CONTROL = re.compile("[\x00-\x1f\x7f]")
_SCHEME = re.compile("([a-zA-Z][a-zA-Z0-9+.-]*):")
_BAD_ESCAPE = re.compile("%(?![0-9a-fA-F]{2})")
_ESCAPE = re.compile("%([0-9a-fA-F]{2})")
_PORT = re.compile("(?::[0-9]*)?")


class _UrlError(ValueError):
    """Go's url.Parse returns an error for this text."""


def parse_and_format(text: str) -> str | None:
    """Return Go's ``url.Parse(text).String()``, or None where Parse returns an error."""
    try:
        formatted = _format(text.encode("utf-8", "surrogatepass").decode("latin-1"))
    except _UrlError:
        return None
    return formatted.encode("latin-1").decode("utf-8", "surrogatepass")


def scheme_of(text: str) -> str:
    """Return the scheme of a URL in lower case, empty when it has none."""
    match = _SCHEME.match(text)
    return match.group(1).lower() if match else ""


def _format(url: str) -> str:
    before_fragment, _hash, fragment = url.partition("#")
    formatted = _format_without_fragment(before_fragment)
    if fragment:
        formatted += "#" + _reescape(fragment, _FRAGMENT)
    return formatted


def _format_without_fragment(url: str) -> str:
    if _CONTROL.search(url):
        raise _UrlError("control character")
    if url.startswith(":"):
        raise _UrlError("missing scheme")
    scheme = scheme_of(url)
    before_query, mark, query = url[len(scheme) + 1 if scheme else 0 :].partition("?")
    return _format_hierarchy(scheme, before_query) + mark + query


def _format_hierarchy(scheme: str, rest: str) -> str:
    """Format what stands between the scheme and the query."""
    prefix = scheme + ":" if scheme else ""
    if scheme and not rest.startswith("/"):
        return prefix + rest  # opaque: taken as it is, "mailto:x" or "localhost:5000/feed"
    if ":" in rest.partition("/")[0]:
        raise _UrlError("first path segment contains colon")
    if not rest.startswith("//") or (not scheme and rest.startswith("///")):
        path = _reescape_path(rest)
        # An escaped colon can come back unescaped; Go then keeps it from being read as a scheme.
        return prefix + ("./" if not prefix and ":" in path.partition("/")[0] else "") + path
    authority, slash, path = rest[2:].partition("/")
    user, host = _format_authority(scheme, authority)
    path = _reescape_path(slash + path)
    if host or user is not None or (scheme and path):
        prefix += "//"
    return prefix + ("" if user is None else user + "@") + host + path


def _format_authority(scheme: str, authority: str) -> tuple[str | None, str]:
    userinfo, at, host = authority.rpartition("@")
    host = _escape(_parse_host(scheme, host), _HOST)
    if not at:
        return None, host
    if not _USERINFO.issuperset(userinfo):
        raise _UrlError("invalid userinfo")
    name, colon, password = userinfo.partition(":")
    return _escape(_unescape(name), _USER) + colon + _escape(_unescape(password), _USER), host


def _parse_host(scheme: str, host: str) -> str:
    bracket = host.rfind("[")
    if bracket > 0:
        raise _UrlError("invalid IP literal")
    if bracket == 0:
        return _parse_ip_literal(host)
    # Go 1.26 is strict about colons for http and https only; several hosts with
    # ports are common in other schemes.
    colon = host.find(":") if scheme in ("http", "https") else host.rfind(":")
    if colon >= 0 and not _PORT.fullmatch(host, colon):
        raise _UrlError("invalid port")
    return _unescape_host(host)


def _parse_ip_literal(host: str) -> str:
    literal, closing, port = host[1:].rpartition("]")
    if not closing or not _PORT.fullmatch(port):
        raise _UrlError("invalid IP literal or port")
    # RFC 6874: "%25" begins a zone, which may hold more than a host may.
    at = literal.find("%25")
    if at < 0:
        address, zone = _unescape_host(literal), None
    else:
        address, zone = _unescape_host(literal[:at]), _unescape_zone(literal[at + 3 :])
    if zone == "" or not _is_ipv6(address):
        raise _UrlError("invalid IPv6 address")
    return "[" + address + ("" if zone is None else "%" + zone) + "]" + port


def _unescape_host(text: str) -> str:
    """Unescape a host: only bytes that are not ASCII may be escaped in it."""
    if any(int(code, 16) < 0x80 and code != "25" for code in _ESCAPE.findall(text)):
        raise _UrlError("escaped ASCII in host")
    return _unescape(_allowed_in_host(text))


def _unescape_zone(text: str) -> str:
    """Unescape a zone: what a host may hold unescaped, and a space and percent sign, may be escaped."""
    for code in _ESCAPE.findall(text):
        if code not in ("20", "25") and chr(int(code, 16)) not in _HOST:
            raise _UrlError("escape in zone")
    return _unescape(_allowed_in_host(text))


def _allowed_in_host(text: str) -> str:
    if any(char < "\x80" and char != "%" and char not in _HOST for char in text):
        raise _UrlError("character in host")
    return text


def _is_ipv6(text: str) -> bool:
    """Tell whether Go's netip takes the text for an IPv6 address.

    Python's ipaddress changed its mind about leading zeros between releases.
    """
    head, ellipsis, tail = text.partition("::")
    if "::" in tail or (ellipsis and tail.startswith(":")):
        return False
    groups = (head.split(":") if head else []) + (tail.split(":") if tail else [])
    count = len(groups)
    if groups and "." in groups[-1]:
        if (ellipsis and not tail) or not _is_ipv4(groups.pop()):
            return False
        count += 1
    if not all(re.fullmatch("[0-9a-fA-F]{1,4}", group) for group in groups):
        return False
    return count < 8 if ellipsis else count == 8


def _is_ipv4(text: str) -> bool:
    octets = text.split(".")
    return len(octets) == 4 and all(re.fullmatch("0|[1-9][0-9]{0,2}", octet) and int(octet) < 256 for octet in octets)


def _reescape_path(path: str) -> str:
    # Go never escapes the path "*", and forgets an escape that is written as it would write it.
    return "*" if path == "%2A" else _reescape(path, _PATH)


def _reescape(text: str, unescaped: frozenset[str]) -> str:
    """Keep the text's own escapes where they are good, or else escape it anew."""
    plain = _unescape(text)
    if all(char in _KEPT_AS_WRITTEN or char in unescaped for char in text):
        return text
    return _escape(plain, unescaped)


def _unescape(text: str) -> str:
    if _BAD_ESCAPE.search(text):
        raise _UrlError("invalid escape")
    return _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), text)


def _escape(text: str, unescaped: frozenset[str]) -> str:
    escaped: list[str] = [char if char in unescaped else f"%{ord(char):02X}" for char in text]
    return "".join(escaped)
