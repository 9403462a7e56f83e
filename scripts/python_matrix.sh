#!/usr/bin/env bash
# Runs scikit-learn's checks of every estimator with several of its releases, each in a separate
# environment; prints a table of releases x estimators and writes it to
# docs/tables/python_matrix.md.
set -euo pipefail
build=$1
python=${PYTHON:-/usr/bin/python3}
declare -A needs=(
  [1.2]="scikit-learn==1.2.* numpy==1.24.* scipy==1.10.*"
  [1.5]="scikit-learn==1.5.* numpy<2.1 scipy<1.15"
  [newest]="scikit-learn numpy scipy"
)
wheels=$build/wheels
mkdir -p "$wheels"
rm -f "$wheels"/mulberry_ml-*.whl
CXX=c++ "$build/venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps -w "$wheels" .
results=()
for release in 1.2 1.5 newest; do
  venv=$build/venv-sklearn-$release
  "$python" -m venv "$venv"
  # shellcheck disable=SC2086  # the list is meant to be split into words
  "$venv/bin/pip" install --quiet --disable-pip-version-check pytest ${needs[$release]} pandas
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall \
    "$wheels"/mulberry_ml-*.whl
  OMP_NUM_THREADS=1 "$venv/bin/python" python/tests/matrix.py run "$build/matrix-$release.json"
  results+=("$build/matrix-$release.json")
done
"$build/venv/bin/python" python/tests/matrix.py table docs/tables/python_matrix.md "${results[@]}"
