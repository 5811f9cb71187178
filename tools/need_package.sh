#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
#
# Installs a Debian package when a check for what it brings fails: need_package.sh PACKAGE CHECK...
set -euo pipefail

package=$1
shift

if "$@" >/dev/null 2>&1; then exit 0; fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "$package is missing: install it with this system's package manager, and run again." >&2
  exit 1
fi
echo "installing the package $package"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -qq -y --no-install-recommends "$package" >/dev/null
