// Where tests find things: this project's files, the command, and the real data sets. The folders
// of this machine are compiled only into places.cpp, so that a compiler cache can be shared by
// clones.
#pragma once

#include <string>

namespace mulberry::tests::places {

std::string source();     // the root of the project
std::string command();    // the built `mulberry`
std::string library();    // the built static library
bool hardened();          // with the flags of cmake/harden.cmake
std::string real_data();  // $MULBERRY_DATA, or its usual place; may not exist

}  // namespace mulberry::tests::places
