#!/usr/bin/env bash
# python_matrix.sh BUILD: runs scikit-learn's checks of every estimator with several releases of Python and
# scikit-learn, each pair in a separate environment; prints a table and writes it to docs/tables/python_matrix.md.
# A Python that is not installed is left out and named. PAIRS="3.12:1.5 3.13:newest" runs only these.
set -euo pipefail
build=$(realpath "$1")
# The pairs for which there are wheels: NumPy and scikit-learn 1.2 end with Python 3.11.
all_pairs="3.11:1.2 3.11:1.5 3.11:newest 3.12:1.5 3.12:newest 3.13:1.5 3.13:newest 3.14:newest"
declare -A needs=(
  [1.2]="scikit-learn==1.2.* numpy==1.24.* scipy==1.10.*"
  [1.5]="scikit-learn==1.5.* numpy<2.3 scipy<1.15"
  [newest]="scikit-learn numpy scipy"
)

# The newest interpreter of a release: on the path, or of pyenv.
interpreter() {
  local found
  for found in /usr/bin/python"$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python "$(command -v python"$1" || true)"; do
    if [ -x "$found" ] && "$found" -c 'import ssl, venv' 2>/dev/null; then
      echo "$found"
      return
    fi
  done
}

# One wheel for 3.11, and one of the stable interface for those after it.
wheel_of() {
  local python=$1 version=$2 kind=abi3
  [ "$version" = 3.11 ] && kind=cp311
  local folder=$build/wheels/$kind
  if [ ! -e "$folder/done" ]; then
    rm -rf "$folder"
    "$python" -m venv "$build/venv-wheel-$kind"
    "$build/venv-wheel-$kind/bin/pip" install --quiet --disable-pip-version-check 'scikit-build-core>=0.10' 'nanobind>=2.4' \
      cmake ninja
    CXX=c++ "$build/venv-wheel-$kind/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
      --config-settings=build-dir="$build/python-package-$kind" \
      --config-settings=cmake.define.MULBERRY_PREBUILT="$build" -w "$folder" .
    touch "$folder/done"
  fi
  ls "$folder"/mulberry_ml-*.whl
}

cmake --build "$build" --target mulberry >/dev/null
rm -rf "$build"/wheels/cp311 "$build"/wheels/abi3
results=() absent=()
for pair in ${PAIRS:-$all_pairs}; do
  version=${pair%:*} release=${pair#*:}
  python=$(interpreter "$version")
  if [ -z "$python" ]; then
    absent+=("$version")
    continue
  fi
  wheel=$(wheel_of "$python" "$version")
  venv=$build/venv-matrix-$version-$release
  [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
  # shellcheck disable=SC2086  # the list is meant to be split into words
  "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: pytest ${needs[$release]} pandas
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheel"
  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$venv/bin/python" python/tests/matrix.py run \
    "$build/matrix-$version-$release.json"
  results+=("$build/matrix-$version-$release.json")
done
"$build/venv/bin/python" python/tests/matrix.py table docs/tables/python_matrix.md "${absent[*]-}" "${results[@]}"
