// Where tests find things: this project's files, the command, and the real data sets. The folders
// of this machine are compiled into places.cpp alone, so that a compiler cache knows the tests of
// another clone.
#pragma once

#include <string>

namespace mulberry::tests::places {

std::string source();     // the root of the project
std::string command();    // the built `mulberry`
std::string library();    // the built static library
std::string real_data();  // $MULBERRY_DATA, or where it usually lies; may not exist

}  // namespace mulberry::tests::places
