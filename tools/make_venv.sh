#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
#
# Makes the virtual environment of the development targets: make_venv.sh DIRECTORY REQUIREMENTS
set -euo pipefail

venv=$1
requirements=$2

usable() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; }

python=
for candidate in python3 python3.13 python3.12 python3.11; do
  # A version manager's commands exist also for versions that are not chosen: they must run.
  if usable "$candidate"; then python=$candidate && break; fi
done
if [ -z "$python" ]; then
  echo "Python 3.11, 3.12 or 3.13 is needed to develop this collection; found $(python3 --version)." >&2
  exit 1
fi
# Debian packs the module venv apart.
"$(dirname "$0")/need_package.sh" python3-venv "$python" -c 'import ensurepip, venv'

echo "installing Python packages into $venv"
rm -f "$venv/.complete"
"$python" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" -r "$requirements"
touch "$venv/.complete"
