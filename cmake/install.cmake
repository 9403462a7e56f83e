# `cmake --install`: the command, both libraries, the public headers, and how to find them
# (find_package, pkg-config). Nothing that is installed knows where: the folder may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/mulberry)

if(TARGET mulberry_command)
  install(TARGETS mulberry_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS mulberry_shared EXPORT mulberry-shared-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS mulberry EXPORT mulberry-static-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mulberry ${PROJECT_BINARY_DIR}/include/mulberry
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
foreach(kind shared static)
  install(EXPORT mulberry-${kind}-targets NAMESPACE mulberry:: DESTINATION ${cmake_folder})
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mulberry-config.cmake.in
  ${PROJECT_BINARY_DIR}/mulberry-config.cmake INSTALL_DESTINATION ${cmake_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mulberry-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mulberry-config.cmake
              ${PROJECT_BINARY_DIR}/mulberry-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/mulberry-openblas.cmake
        DESTINATION ${cmake_folder})

# From lib/pkgconfig up to the prefix, whatever lib is called.
file(RELATIVE_PATH MULBERRY_PC_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" MULBERRY_PC_PREFIX ${MULBERRY_PC_PREFIX})
foreach(name mulberry mulberry-static)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
