#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
#
# Makes the virtual environment of the development targets: make_venv.sh DIRECTORY REQUIREMENTS
set -euo pipefail

venv=$1
requirements=$2

python=$(command -v python3.13 || command -v python3.12 || command -v python3.11 || command -v python3)
if ! "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; then
  echo "Python 3.11, 3.12 or 3.13 is needed to develop this collection; found $("$python" --version)." >&2
  exit 1
fi
# Debian packs the module venv apart.
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "venv: installing python3-venv"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y python3-venv >/dev/null
  else
    echo "The Python module venv is missing: install the package python3-venv." >&2
    exit 1
  fi
fi

echo "venv: $venv"
rm -f "$venv/.complete"
"$python" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" -r "$requirements"
touch "$venv/.complete"
