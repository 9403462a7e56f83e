// The extension module mulberry._core: the C++ library as the Python package needs it. It checks
// nothing that the package has checked, and knows no scikit-learn.
#include "mulberry/core/error.hpp"
#include "python/src/binding.hpp"

namespace mulberry::python {

// Users' mistakes are ValueError, files that cannot be read or written OSError.
void bind_errors(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      PyObject* type = error.code() == Code::io       ? PyExc_OSError
                       : error.code() == Code::memory ? PyExc_MemoryError
                                                      : PyExc_ValueError;
      PyErr_SetString(type, error.what());
    } catch (const Cancelled& cancelled) {
      PyErr_SetString(PyExc_KeyboardInterrupt, cancelled.what());
    }
  });
  m.attr("version") = MULBERRY_VERSION;
}

}  // namespace mulberry::python

NB_MODULE(_core, m) {
  using namespace mulberry::python;
  m.doc() = "The C++ library behind mulberry.";
  bind_errors(m);
  bind_base(m);
  bind_datasets(m);
  bind_learners(m);
  bind_measures(m);
  bind_splits(m);
  bind_suspects(m);
}
