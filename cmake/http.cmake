# The room http: a separate library, for programs that serve pages. Users of libmulberry do not
# link it.
file(GLOB http_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/mulberry/http/*.cpp)
list(FILTER http_sources EXCLUDE REGEX "_test\\.cpp$")
add_library(mulberry_http STATIC ${http_sources})
target_link_libraries(mulberry_http PUBLIC mulberry PRIVATE fmt::fmt)
target_include_directories(mulberry_http SYSTEM PRIVATE ${BOOST_INCLUDE})
if(NOT MULBERRY_PREBUILT)
  target_precompile_headers(mulberry_http REUSE_FROM mulberry)
endif()
