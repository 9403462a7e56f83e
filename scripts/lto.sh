#!/usr/bin/env bash
# Finds types of one name that two files define differently: violations of the one-definition rule,
# which neither the compiler nor an ordinary link can see. Every file of the library, the command,
# the tests and the benchmarks is compiled with -flto, and all of them are linked as one object,
# where g++ compares the types (-Wodr). Nothing is optimised and no code is made of it, so that it
# takes less time than a build. Tests of different programs may not share a type name either.
set -euo pipefail
build=build-lto
cmake -G Ninja -S . -B $build -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG="-O0 -flto -fno-fat-lto-objects" -DMULBERRY_TESTS=ON -DMULBERRY_BENCH=ON >/dev/null
# The examples are users' programs: their main() takes no arguments, the others' does.
objects=$(ninja -C $build -t targets all | sed -n 's/^\(.*\.o\): CXX_COMPILER.*/\1/p' | grep -v '/example_')
# shellcheck disable=SC2086  # the list is meant to be split into words
ninja -C $build -j "$(nproc)" $objects
# Programs have a main each, and corpus_test all fuzz targets: the first of a name is as good as any.
# shellcheck disable=SC2086
(cd $build && g++ -flto -O0 -r -nostdlib -flinker-output=rel -Wl,-z,muldefs -Wodr -Wlto-type-mismatch \
  -Werror -o all-as-one.o $objects)
rm $build/all-as-one.o
echo "lto: fine ($(echo "$objects" | wc -l) files)"
