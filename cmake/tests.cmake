# One test program per room, from the *_test.cpp next to the code; each tests/*_test.cpp is a
# separate program, because it tests the whole.
find_package(GTest REQUIRED)
find_package(pugixml REQUIRED)
include(GoogleTest)

set(hardened ${MULBERRY_HARDEN})
if(MULBERRY_SANITIZE)
  set(hardened OFF)
endif()
# The only test file that knows folders of this machine.
add_library(places OBJECT ${PROJECT_SOURCE_DIR}/tests/support/places.cpp
                          ${PROJECT_SOURCE_DIR}/tests/support/prepare_blas.cpp)
target_include_directories(places PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_definitions(places PRIVATE
  MULBERRY_SOURCE="${PROJECT_SOURCE_DIR}" MULBERRY_COMMAND="${PROJECT_BINARY_DIR}/mulberry"
  MULBERRY_LIBRARY="${PROJECT_BINARY_DIR}/libmulberry.a"
  MULBERRY_HARDENED=$<BOOL:${hardened}>)

# The precompiled headers of all tests.
add_library(tests_headers OBJECT ${PROJECT_SOURCE_DIR}/tests/support/headers.cpp)
target_link_libraries(tests_headers PRIVATE GTest::gtest_main)
target_compile_options(tests_headers PRIVATE -O1)
target_precompile_headers(tests_headers PRIVATE ${MULBERRY_COMMON_HEADERS} <gtest/gtest.h>)

# Programs that need more than five seconds; `ctest -L fast` runs the others, in less than a minute.
set(MULBERRY_SLOW_TESTS allocation_test examples_test memory_test cli_test evaluate_test learners_test run_test load_test signals_test study_test)

function(mulberry_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE mulberry places GTest::gtest_main fmt::fmt pugixml::pugixml ZLIB::ZLIB
                        nlohmann_json::nlohmann_json PkgConfig::ZSTD mulberry::openblas)
  target_include_directories(${name} SYSTEM PRIVATE ${OPENBLAS_INCLUDE})
  # Tests are many and short-lived: compiling them fast is worth more than running them fast.
  target_compile_options(${name} PRIVATE -O1)
  target_precompile_headers(${name} REUSE_FROM tests_headers)
  add_test(NAME ${name} COMMAND ${name})
  if(name IN_LIST MULBERRY_SLOW_TESTS)
    set(speed slow)
  else()
    set(speed fast)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT 900 LABELS ${speed})
endfunction()

foreach(room ${MULBERRY_ROOMS} http)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/mulberry/${room}/*_test.cpp)
  if(found)
    mulberry_test(${room}_test ${found})
  endif()
endforeach()

target_link_libraries(http_test PRIVATE mulberry_http)

# The oracles of the linear solvers and of the kernel SVM.
find_library(LIBLINEAR_LIBRARY linear REQUIRED)
find_library(LIBSVM_LIBRARY svm REQUIRED)
target_link_libraries(math_test PRIVATE ${LIBLINEAR_LIBRARY} ${LIBSVM_LIBRARY})
target_link_libraries(learners_test PRIVATE ${LIBLINEAR_LIBRARY} ${LIBSVM_LIBRARY})

list(APPEND MULBERRY_SLOW_TESTS extremes_test machines_test model_attack_test)
file(GLOB whole CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*_test.cpp)
foreach(file ${whole})
  get_filename_component(name ${file} NAME_WE)
  mulberry_test(${name} ${file})
endforeach()

# corpus_test replays the seeds of all fuzz targets, so it contains them.
file(GLOB fuzz_targets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
target_sources(corpus_test PRIVATE ${fuzz_targets})
target_include_directories(corpus_test PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(corpus_test PRIVATE mulberry_http)

# Model files as strangers could write them: attacked by a test, and by the fuzz target of models.
foreach(name model_attack_test corpus_test)
  target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/model_mutator.cpp
                                 ${PROJECT_SOURCE_DIR}/tests/support/use_model.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
endforeach()

# The programs of docs/cpp.md, against the shared library as users link it; front_door_test runs them.
enable_language(C)
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/cpp/*.cpp
                                     ${PROJECT_SOURCE_DIR}/examples/cpp/*.c)
add_dependencies(front_door_test mulberry_command)
foreach(file ${examples})
  get_filename_component(name ${file} NAME_WE)
  add_executable(example_${name} ${file})
  target_link_libraries(example_${name} PRIVATE mulberry_shared)
  set_target_properties(example_${name} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
  add_dependencies(front_door_test example_${name})
endforeach()

# Measures of arrays in a file, for the tests and benchmarks that compare with other libraries.
add_executable(measures_tool ${PROJECT_SOURCE_DIR}/tests/measures_tool.cpp)
target_link_libraries(measures_tool PRIVATE mulberry nlohmann_json::nlohmann_json)

# Statistics of comparisons, for the test that compares with other libraries.
add_executable(compare_tool ${PROJECT_SOURCE_DIR}/tests/compare_tool.cpp)
target_link_libraries(compare_tool PRIVATE mulberry nlohmann_json::nlohmann_json)

# Programmes from standard input, for the test that compares with a general solver.
add_executable(hinge_tool ${PROJECT_SOURCE_DIR}/tests/hinge_tool.cpp)
target_link_libraries(hinge_tool PRIVATE mulberry)
add_dependencies(binaries_test mulberry_command mulberry_shared)
add_dependencies(load_test mulberry_command)
add_dependencies(signals_test mulberry_command)
add_dependencies(changes_test mulberry_command)
add_dependencies(review_test mulberry_command)
