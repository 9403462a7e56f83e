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
objects=$(ninja -C $build -t targets all | sed -n 's/^\(.*\.o\): CXX_COMPILER.*/\1/p')
# shellcheck disable=SC2086  # the list is meant to be split into words
ninja -C $build -j "$(nproc)" $objects
# Programs have a main each, and corpus_test all fuzz targets: the first of a name is as good as any.
# Some mains take arguments and some do not, which is the one mismatch that is meant.
# shellcheck disable=SC2086
(cd $build && LC_ALL=C g++ -flto -O0 -r -nostdlib -flinker-output=rel -Wl,-z,muldefs -Werror=odr \
  -Wlto-type-mismatch -o all-as-one.o $objects) 2>&1 | tee $build/all-as-one.txt
if grep 'Wlto-type-mismatch' $build/all-as-one.txt | grep -v "type of 'main'"; then exit 1; fi
rm $build/all-as-one.o
echo "lto: fine ($(echo "$objects" | wc -l) files)"
