# Writes page_assets.inc: the styles and scripts of mulberry/report/page/assets as texts, each with the
# hash by which a page allows it to run.
file(GLOB assets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/mulberry/report/page/assets/*.css
                                   ${PROJECT_SOURCE_DIR}/mulberry/report/page/assets/*.js)
list(SORT assets)
set(entries "")
foreach(asset ${assets})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${asset})
  get_filename_component(name ${asset} NAME)
  file(READ ${asset} text)
  file(SHA256 ${asset} hash)
  string(APPEND entries "{\"${name}\", R\"__asset__(${text})__asset__\",\n \"${hash}\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/page_assets.inc CONTENT "@entries@" @ONLY)
# Of this file alone: another path for all would compile everything again.
set_source_files_properties(${PROJECT_SOURCE_DIR}/mulberry/report/page/page_assets.cpp PROPERTIES
  INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR}/generated
  OBJECT_DEPENDS ${PROJECT_BINARY_DIR}/generated/page_assets.inc)
