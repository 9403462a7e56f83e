#!/usr/bin/env bash
# docs.sh BUILD: the site in BUILD/site/html, from the pages of docs/, the installed package and the headers.
# Every warning is an error, every link within the site is followed, and pages are opened in a browser, if there is one.
set -euo pipefail
build=$1
venv=$build/docs-venv
python=${PYTHON:-/usr/bin/python3}
if [ ! -e "$venv/ready" ] || [ docs/site/requirements.txt -nt "$venv/ready" ]; then
  "$python" -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r docs/site/requirements.txt
  # The package and what its examples need are in the environment of the tests.
  packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  "$build/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$packages/mulberry_tests.pth"
  touch "$venv/ready"
fi
export MPLBACKEND=agg OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
"$venv/bin/python" docs/site/stage.py "$build/site/source"
"$venv/bin/sphinx-build" -q -W --keep-going -c docs/site -d "$build/site/doctrees" -b html \
  "$build/site/source" "$build/site/html"
"$venv/bin/python" docs/site/check_links.py "$build/site/html"
MULBERRY_BUILD=$(realpath "$build") "$build/venv/bin/python" -m pytest -q -rs tests/site_test.py
echo "docs: open $build/site/html/index.html"
