# Writes experiments.cpp: the studies of experiments/ as texts, so that the command has them wherever it
# is installed.
file(GLOB studies CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/*.toml)
list(SORT studies)
set(entries "")
foreach(study ${studies})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${study})
  get_filename_component(name ${study} NAME_WE)
  file(READ ${study} text)
  string(APPEND entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/experiments.cpp CONTENT
"#include \"cli/experiments.hpp\"

#include <vector>

namespace mulberry::cli {

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> all = {
@entries@  };
  return all;
}

}  // namespace mulberry::cli
" @ONLY)
