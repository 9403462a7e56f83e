# OpenBLAS as the target mulberry::openblas. It is named, never the system's BLAS alternative; a
# distribution may keep its builds in separate folders. Used by our build and, installed, by
# projects that link the static library.
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread REQUIRED)
find_path(OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas-pthread
          HINTS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} REQUIRED)
mark_as_advanced(OPENBLAS_LIBRARY OPENBLAS_INCLUDE)
if(NOT TARGET mulberry::openblas)
  add_library(mulberry::openblas UNKNOWN IMPORTED)
  set_target_properties(mulberry::openblas PROPERTIES IMPORTED_LOCATION ${OPENBLAS_LIBRARY})
endif()
