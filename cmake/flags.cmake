# Compiler settings for every target of this repository, and for nobody else's: all of them hold in
# this folder only. Optimisation flags are the user's (CMAKE_BUILD_TYPE, CMAKE_CXX_FLAGS_RELEASE).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)

# Contraction would let the compiler choose between two roundings: results must not depend on that.
add_compile_options(-ffp-contract=off)
if(MULBERRY_DEVELOPER)
  add_compile_options(-Wall -Wextra -Wconversion -Wshadow)
  # Other compilers warn of other things, which is no reason not to compile.
  if("${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 19)\\.")
    add_compile_options(-Werror)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports overlaps in std::string concatenation that do not exist (GCC bug 105651).
  add_compile_options(-Wno-restrict -Wno-stringop-overflow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12 uses its own deprecated buffer inside std::stable_sort.
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(MULBERRY_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELEASE "-O1")  # faster to build, and asserts of the standard library stay
  # Not for the examples in C: another compiler may compile them.
  foreach(flag -fsanitize=${MULBERRY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${flag}>")
  endforeach()
  add_link_options(-fsanitize=${MULBERRY_SANITIZE})
endif()

include(harden)

find_program(CCACHE ccache)
if(CCACHE AND MULBERRY_DEVELOPER)
  # Paths are relative to the root of the project, so that clones share the compiler cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
