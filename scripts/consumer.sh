#!/usr/bin/env bash
# Installs into a scratch folder, moves it, and builds and runs tests/consumer against it: with
# find_package and with pkg-config, shared and static, from C++ and C, next to a host's OpenBLAS.
# Everything is written below the build folder.
set -euo pipefail
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
work=$build/consumer
rm -rf "$work"
mkdir -p "$work"
cmake --build "$build" --target mulberry mulberry_shared mulberry_command >/dev/null
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
prefix=$work/moved
libdir=$(dirname "$(find "$prefix" -name libmulberry.a)")

say() { printf 'consumer, %s: ' "$1"; }
fail() {
  echo "consumer: $1" >&2
  exit 1
}

# Only the front door is installed, and no file says where anything is on this machine.
[ "$(find "$prefix/include" -name '*.h*' | wc -l)" -le 16 ] || fail "too many headers are installed"
! grep -rlE "$work|$build|$source|libopenblas" "$libdir/cmake" "$libdir/pkgconfig" ||
  fail "an absolute path is installed"

version=$(sed -nE 's/^project\(mulberry VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")
cmake -G Ninja -S "$source/tests/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DMULBERRY_EXPECTED="$version" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
say "find_package, shared" && "$work/build/consumer_shared" "$work/shared.mb"
say "find_package, static" && "$work/build/consumer_static" "$work/static.mb"
say "C" && "$work/build/consumer_c" "$work/shared.mb"
say "a host with OpenBLAS" && "$work/build/blas_host"
ldd "$work/build/consumer_static" | grep -q libmulberry && fail "the static program needs the shared library"

export PKG_CONFIG_PATH=$libdir/pkgconfig
read -ra shared <<<"$(pkg-config --cflags --libs mulberry)"
read -ra static <<<"$(pkg-config --cflags --libs mulberry-static)"
g++ -std=c++20 "$source/tests/consumer/main.cpp" "${shared[@]}" -o "$work/pc_shared"
g++ -std=c++20 "$source/tests/consumer/main.cpp" "${static[@]}" -o "$work/pc_static"
say "pkg-config, shared" && LD_LIBRARY_PATH=$libdir "$work/pc_shared" "$work/pc_shared.mb"
say "pkg-config, static" && "$work/pc_static" "$work/pc_static.mb"
# For a program that is static throughout. Linking one would need the static libraries of Fortran too.
private=$(pkg-config --static --libs mulberry)
for library in mulberry openblas fmt icuuc z zstd; do
  grep -qE -- "-l$library( |\$)" <<<"$private" || fail "pkg-config --static does not name -l$library"
done

# As a part of another project: its flags stay, our warnings do not, our rounding does.
cmake -G Ninja -S "$source/tests/consumer/subproject" -B "$work/subproject" \
  -DMULBERRY_SOURCES_AT="$source" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
commands=$(grep '"command".*/mulberry/core/error.cpp' "$work/subproject/compile_commands.json")
grep -q -- ' -O1 ' <<<"$commands" || fail "the flags of a parent project are replaced"
grep -q -- '-ffp-contract=off' <<<"$commands" || fail "a parent project loses -ffp-contract=off"
! grep -qE -- '-Werror|-O3|ccache' <<<"$commands" || fail "a parent project gets our developers' flags"
say "subproject" && echo "its flags stay its own"

# As a release, without .git: no warning of somebody else's compiler is an error.
[ -e "$source/.git" ] || exit 0
mkdir -p "$work/release"
(cd "$source" && git ls-files -z --cached --others --exclude-standard -- CMakeLists.txt cmake cli \
  experiments include mulberry | tar -c --null --ignore-failed-read -T - 2>/dev/null) |
  tar -x -C "$work/release"
cmake -G Ninja -S "$work/release" -B "$work/release/build" -DMULBERRY_TESTS=OFF \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
! grep -qE -- '-Werror|ccache' "$work/release/build/compile_commands.json" ||
  fail "a release gets our developers' flags"
say "release" && echo "it gets no flags of our developers"
