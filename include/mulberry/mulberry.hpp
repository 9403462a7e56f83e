// Mulberry: multi-label learning. This header includes the whole C++ interface.
//
//   #include <mulberry/mulberry.hpp>
//
//   int main() {
//     const mulberry::Dataset data = mulberry::generate("photos");
//     const mulberry::Model model = mulberry::train("br_logistic", data);
//     model.save("photos.mb");
//   }
//
//   error.hpp           Error, the one exception, with a code and a next step
//   context.hpp         threads, seed, stopping, progress
//   features.hpp        the matrix X, from your arrays
//   labels.hpp          the matrix Y: 0, 1, missing
//   dataset.hpp         both with names: read, write, generate
//   learners.hpp        which learners there are, and their parameters
//   model.hpp           train, predict, save, load
//   measures.hpp        score
//   cross_validate.hpp  compare learners on the same splits
//   tune.hpp            search parameters
//   process.hpp         what the library shares with its process
//   version.h           the version
//   mulberry.h          the C interface: load a model and predict
//
// Objects are handles to immutable, shared state: copying is cheap, and any number of threads may
// read. The headers need C++20 and the standard library alone.
//
// Versions: names and meanings stay the same within a minor version (0.2.x), and the shared library
// of one can replace that of another. Structures of options may grow in a new minor version; use
// designated initialisers, and compile your program again.
#pragma once

#include <mulberry/export.h>
#include <mulberry/version.h>
#include <mulberry/context.hpp>
#include <mulberry/cross_validate.hpp>
#include <mulberry/dataset.hpp>
#include <mulberry/error.hpp>
#include <mulberry/features.hpp>
#include <mulberry/labels.hpp>
#include <mulberry/learners.hpp>
#include <mulberry/measures.hpp>
#include <mulberry/model.hpp>
#include <mulberry/process.hpp>
#include <mulberry/tune.hpp>

#include <string_view>

namespace mulberry {

// The version of the library that the program runs with, such as "0.2.0".
MULBERRY_API std::string_view version() noexcept;

}  // namespace mulberry
