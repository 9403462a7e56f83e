# The library: every .cpp of mulberry/ that is not a test. A source file is found by being there;
# learners and base learners must also stand in the list.inc of their folder, which is checked here.
set(MULBERRY_ROOMS core data math measures resample model base learners evaluate report)
set(MULBERRY_SOURCES "")
foreach(room ${MULBERRY_ROOMS})
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/mulberry/${room}/*.cpp)
  list(FILTER found EXCLUDE REGEX "_test\\.cpp$")
  list(APPEND MULBERRY_SOURCES ${found})
endforeach()

add_library(mulberry STATIC ${MULBERRY_SOURCES})
add_library(mulberry::mulberry ALIAS mulberry)
target_include_directories(mulberry PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                           $<INSTALL_INTERFACE:include>)
target_include_directories(mulberry SYSTEM PRIVATE ${OPENBLAS_INCLUDE} ${RANDOM123_INCLUDE})
target_link_libraries(mulberry PUBLIC Threads::Threads
  PRIVATE ${OPENBLAS_LIBRARY} fmt::fmt nlohmann_json::nlohmann_json pugixml::pugixml ZLIB::ZLIB
          PkgConfig::ZSTD PkgConfig::XXHASH)
target_compile_features(mulberry PUBLIC cxx_std_20)

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
