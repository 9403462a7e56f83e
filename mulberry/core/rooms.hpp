// The rooms of the house, from the ground up. Every folder of mulberry/ has a namespace of the same
// name and sees the rooms below it: a room may use without qualification exactly what it may
// include (tests/layout_test.cpp). The namespace mulberry itself is the front door,
// include/mulberry.
#pragma once

namespace mulberry {
namespace core {}
namespace data {
using namespace core;
}
namespace math {
using namespace data;
}
namespace measures {
using namespace math;
}
namespace resample {
using namespace measures;
}
namespace compare {
using namespace resample;
}
namespace model {
using namespace compare;
}
namespace base {
using namespace model;
}
namespace learners {
using namespace base;
}
namespace evaluate {
using namespace learners;
}
namespace study {
using namespace evaluate;
}
namespace report {
using namespace study;
}
// What is behind the front door. It names the rooms, because without a room its names are public.
namespace api {}

// The front ends, and what tests and measures them.
namespace cli {
using namespace report;
}
namespace python {
using namespace report;
}
namespace tests {
using namespace report;
}
namespace bench {
using namespace report;
}
}  // namespace mulberry
