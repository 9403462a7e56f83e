# The library: every .cpp of mulberry/ that is not a test. Source files are found by a glob;
# learners and base learners must also be in the list.inc of their folder, which is checked here.
set(MULBERRY_ROOMS core data math measures resample compare model base learners evaluate study report
                   api)
set(MULBERRY_SOURCES "")
foreach(room ${MULBERRY_ROOMS})
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/mulberry/${room}/*.cpp)
  list(FILTER found EXCLUDE REGEX "_test\\.cpp$")
  list(APPEND MULBERRY_SOURCES ${found})
endforeach()

# The static library. The command, tests, benchmarks and Python link it: they use the rooms, which the
# shared library hides.
configure_file(${PROJECT_SOURCE_DIR}/include/mulberry/version.h.in
               ${PROJECT_BINARY_DIR}/include/mulberry/version.h @ONLY)
set(MULBERRY_PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:include>)
add_library(mulberry STATIC ${MULBERRY_SOURCES})
target_include_directories(mulberry PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> ${MULBERRY_PUBLIC})
include(page_assets)
target_include_directories(mulberry SYSTEM PRIVATE ${OPENBLAS_INCLUDE} ${RANDOM123_INCLUDE}
                                           ${BOOST_INCLUDE} ${TOMLPLUSPLUS_INCLUDE})
target_link_libraries(mulberry PUBLIC Threads::Threads
  PRIVATE mulberry::openblas fmt::fmt ZLIB::ZLIB PkgConfig::ZSTD PkgConfig::ICU
          $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> $<BUILD_INTERFACE:PkgConfig::XXHASH>)
target_compile_features(mulberry PUBLIC cxx_std_20)
target_precompile_headers(mulberry PRIVATE ${MULBERRY_COMMON_HEADERS})
mulberry_unity(mulberry)
set_target_properties(mulberry PROPERTIES EXPORT_NAME mulberry_static)
add_library(mulberry::mulberry_static ALIAS mulberry)

# The shared library, of the same objects. What it shows is what include/mulberry marks; the version
# script takes away what templates of the standard library would add.
set(version_script ${PROJECT_SOURCE_DIR}/cmake/mulberry.map)
add_library(mulberry_shared SHARED $<TARGET_OBJECTS:mulberry>)
target_include_directories(mulberry_shared INTERFACE ${MULBERRY_PUBLIC})
target_link_libraries(mulberry_shared
  PRIVATE Threads::Threads mulberry::openblas fmt::fmt ZLIB::ZLIB PkgConfig::ZSTD PkgConfig::ICU)
target_link_options(mulberry_shared PRIVATE LINKER:--version-script=${version_script})
if(NOT MULBERRY_SANITIZE)  # the sanitizer's own names come with the program
  target_link_options(mulberry_shared PRIVATE LINKER:--no-undefined)
endif()
target_compile_features(mulberry_shared INTERFACE cxx_std_20)
set_target_properties(mulberry_shared PROPERTIES
  OUTPUT_NAME mulberry EXPORT_NAME mulberry LINKER_LANGUAGE CXX LINK_DEPENDS ${version_script}
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
mulberry_final_rpath(mulberry_shared)
add_library(mulberry::mulberry ALIAS mulberry_shared)
export(TARGETS mulberry FILE ${PROJECT_BINARY_DIR}/mulberry-prebuilt.cmake)  # MULBERRY_PREBUILT

# A learner's file without its line in list.inc would be a silent absence: stop here instead.
foreach(pair "base:BaseLearner:BASE" "learners:Learner:LEARNER")
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 folder)
  list(GET pair 1 type)
  list(GET pair 2 macro)
  set(list_file ${PROJECT_SOURCE_DIR}/mulberry/${folder}/list.inc)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list_file})
  file(READ ${list_file} list_text)
  file(GLOB_RECURSE found ${PROJECT_SOURCE_DIR}/mulberry/${folder}/*.cpp)
  foreach(source ${found})
    file(STRINGS ${source} makers REGEX "^${type} make_[a-z0-9_]+\\(\\)")
    foreach(maker ${makers})
      string(REGEX REPLACE "^${type} make_([a-z0-9_]+)\\(.*" "\\1" id ${maker})
      if(NOT list_text MATCHES "\n${macro}\\(${id}\\)")
        message(FATAL_ERROR "${source} defines make_${id}, but mulberry/${folder}/list.inc has no "
                            "line ${macro}(${id})")
      endif()
    endforeach()
  endforeach()
endforeach()
