// The room of studies sees evaluate and what is below it.
#pragma once

#include "mulberry/core/rooms.hpp"

namespace mulberry::study {
using namespace evaluate;
}
