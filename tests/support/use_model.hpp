// Uses a model file of unknown origin as the command would: it is loaded, shown, and asked for
// predictions of dense and sparse rows.
#pragma once

#include <string_view>

namespace mulberry::tests {

// Whether the model was accepted; false if an Error said why not. Throws if it does neither: a bug,
// a prediction that is not finite or has the wrong size.
bool use_model_bytes(std::string_view bytes);

}  // namespace mulberry::tests
