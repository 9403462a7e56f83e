# The command line. Its verbs are a library of their own so that tests can call them.
file(GLOB cli_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.cpp)
list(FILTER cli_sources EXCLUDE REGEX "_test\\.cpp$")
if(cli_sources)
  add_executable(mulberry_command ${cli_sources})
  set_target_properties(mulberry_command PROPERTIES OUTPUT_NAME mulberry)
  target_compile_definitions(mulberry_command PRIVATE MULBERRY_VERSION="${PROJECT_VERSION}")
  target_link_libraries(mulberry_command PRIVATE mulberry fmt::fmt nlohmann_json::nlohmann_json)
endif()
