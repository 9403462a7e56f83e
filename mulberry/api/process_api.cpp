#include "mulberry/api/access.hpp"

namespace mulberry {

bool prepare_blas() { return math::blas::choose_core(); }
std::string blas_core() { return std::string(math::blas::core_name()); }

}  // namespace mulberry
