#!/usr/bin/env bash
# Installs into a scratch folder and builds and runs tests/consumer against it.
set -euo pipefail
build=$(cd "$1" && pwd)
cmake --install "$build" --prefix "$build/consumer-prefix" >/dev/null
cmake -G Ninja -S tests/consumer -B "$build/consumer" -DCMAKE_PREFIX_PATH="$build/consumer-prefix" \
  -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build/consumer" >/dev/null
"$build/consumer/consumer"
