#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
#
# The whole of ansible-test sanity, on a copy of what git knows: ansible-test wants the collection
# below ansible_collections/NAMESPACE/NAME and scans all that lies in it.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$root/.build/sanity
copy=$work/ansible_collections/getporter/porter
"$root/tools/need_package.sh" shellcheck shellcheck --version
mkdir -p "$copy" "$work/home"
# ansible-test keeps its virtual environments below HOME; pip keeps its settings there.
ln -sfn "$HOME/.config" "$work/home/.config"
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$HOME/.cache}
export HOME=$work/home

find "$copy" -mindepth 1 -maxdepth 1 -exec rm -rf {} +
git -C "$root" ls-files --cached --others --exclude-standard -z |
  (cd "$root" && while IFS= read -r -d '' file; do if [ -e "$file" ]; then printf '%s\0' "$file"; fi; done |
    tar --null --files-from=- --create --file=-) | tar --extract --file=- --directory="$copy"

# ansible-test downloads pip's bootstrap script. Python carries one of its own, so that no
# download is needed: this stands in for the script and takes the same arguments.
internals=$("$root/.venv/bin/python" -c 'import ansible_test, os; print(os.path.dirname(ansible_test.__file__))')
version=$(sed -n "s/^ *pip='\([0-9.]*\)',.*/\1/p" "$internals/_internal/python_requirements.py" | head -n 1)
cache=$HOME/.ansible/test/cache
mkdir -p "$cache"
cat >"$cache/get_pip_${version//./_}.py" <<'PYTHON'
import subprocess
import sys

# In a process of its own: it switches pip's settings off for the one that it runs in.
subprocess.check_call([sys.executable, "-m", "ensurepip"], stdout=subprocess.DEVNULL)
wanted = [argument for argument in sys.argv[1:] if argument not in ("--no-setuptools", "--no-wheel")]
sys.exit(subprocess.call([sys.executable, "-m", "pip", "install", *wanted]))
PYTHON

# Documentation fragments and imports of kubernetes.core are looked up beside the collection.
ln -sfn "$("$root/.venv/bin/python" -c 'import ansible_collections.kubernetes.core as c; print(c.__path__[0])')/.." \
  "$work/ansible_collections/kubernetes"

# pyenv's shims exist for every Python version but run only the chosen ones: name the versions themselves.
if command -v pyenv >/dev/null; then
  for directory in "$(pyenv root)"/versions/*/bin; do PATH=$directory:$PATH; done
fi

cd "$copy"
# Without its own index, the copy would count as ignored files of the checkout around it.
git init --quiet && git add --all
exec "$root/.venv/bin/ansible-test" sanity --local --requirements --color no "$@"
