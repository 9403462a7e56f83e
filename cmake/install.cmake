# `cmake --install`: the command, the library, its headers, and find_package(mulberry).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS mulberry EXPORT mulberry-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET mulberry_command)
  install(TARGETS mulberry_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/mulberry DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")
install(EXPORT mulberry-targets NAMESPACE mulberry::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mulberry)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mulberry-config.cmake.in
  ${PROJECT_BINARY_DIR}/mulberry-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mulberry)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mulberry-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mulberry-config.cmake
              ${PROJECT_BINARY_DIR}/mulberry-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mulberry)
