# The Python package: the extension module mulberry._core and the modules that are generated from
# the registry at build time, so that signatures and documentation cannot drift from the library.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module
             OPTIONAL_COMPONENTS Development.SABIModule)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT)
find_package(nanobind CONFIG REQUIRED)

set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python)
file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cpp)
# The page of `mulberry review`, which mulberry.review serves as well.
list(APPEND python_sources ${PROJECT_SOURCE_DIR}/cli/verbs/review_server.cpp
                           ${PROJECT_SOURCE_DIR}/cli/verbs/review_session.cpp)
nanobind_add_module(_core NB_STATIC STABLE_ABI NB_SUPPRESS_WARNINGS ${python_sources})
target_link_libraries(_core PRIVATE mulberry mulberry_http nlohmann_json::nlohmann_json)
mulberry_final_rpath(_core)
target_compile_definitions(_core PRIVATE MULBERRY_VERSION="${PROJECT_VERSION}")
foreach(target nanobind-static nanobind-static-abi3)
  if(TARGET ${target})  # not ours: our warnings are not its concern
    target_compile_options(${target} PRIVATE -w)
  endif()
endforeach()

set(python_generated ${PROJECT_BINARY_DIR}/python/_learners.py
                     ${PROJECT_BINARY_DIR}/python/_measures.py)
set(MULBERRY_PRELOAD "" CACHE FILEPATH "library that a sanitizer needs to be loaded before Python")
add_custom_command(OUTPUT ${python_generated}
  COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_BINARY_DIR}/python
          LD_PRELOAD=${MULBERRY_PRELOAD}
          ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/python/generate.py ${PROJECT_BINARY_DIR}/python
  DEPENDS _core ${PROJECT_SOURCE_DIR}/python/generate.py
  COMMENT "Writing estimators and measures from the registry" VERBATIM)
add_custom_target(mulberry_python ALL DEPENDS ${python_generated})

if(NOT MULBERRY_SANITIZE)  # nobody reads it there, and it is made without MULBERRY_PRELOAD
  nanobind_add_stub(_core_stub MODULE _core OUTPUT ${PROJECT_BINARY_DIR}/python/_core.pyi
                    PYTHON_PATH ${PROJECT_BINARY_DIR}/python DEPENDS _core)
  add_dependencies(mulberry_python _core_stub)
  install(FILES ${PROJECT_BINARY_DIR}/python/_core.pyi DESTINATION mulberry COMPONENT python)
endif()

install(TARGETS _core LIBRARY DESTINATION mulberry COMPONENT python)
install(FILES ${python_generated} DESTINATION mulberry COMPONENT python)
file(GLOB python_studies CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/*.toml)
install(FILES ${python_studies} DESTINATION mulberry/experiments COMPONENT python)
