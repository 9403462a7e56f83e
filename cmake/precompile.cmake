# Precompiled headers: the standard headers that most files include anyway cost two thirds of a
# second per file otherwise. Only headers of others stand here, so that an edit of ours recompiles
# what includes it and nothing else; every file still includes what it uses, which `make lint` checks
# by compiling without them (CMAKE_DISABLE_PRECOMPILE_HEADERS).
set(MULBERRY_COMMON_HEADERS
    <algorithm> <array> <atomic> <cmath> <cstdint> <functional> <limits> <map> <memory>
    <numeric> <optional> <set> <span> <stop_token> <string> <string_view> <unordered_map> <utility>
    <variant> <vector>)

# CMake compiles programs with -fPIE, and a precompiled header must have been made with the same.
add_compile_options(-fPIC)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)  # lets ccache see which precompiled header was used
  # g++ 12 forgets that a precompiled header was its header, whose warnings it would not show.
  add_compile_options(-Wno-array-bounds -Wno-stringop-overread)
endif()
