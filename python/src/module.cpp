// The extension module mulberry._core: the C++ library as the Python package needs it. It does not
// repeat the checks of the package, and does not know scikit-learn.
#include "mulberry/core/error.hpp"
#include "mulberry/math/dense/blas_core.hpp"
#include "python/src/binding.hpp"
#include "python/src/spelling.hpp"

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
      PyErr_SetString(type, message_of(error).c_str());
    } catch (const Cancelled& cancelled) {
      PyErr_SetString(PyExc_KeyboardInterrupt, cancelled.what());
    }
  });
  m.attr("version") = MULBERRY_VERSION;
}

// Kernels for this processor (math/dense/blas_core.hpp). A wheel carries an OpenBLAS of its own in
// mulberry_ml.libs, which nobody else uses: there, importing may choose. Any other OpenBLAS may be
// NumPy's as well and stays as it is, unless the user asks.
void bind_blas(nb::module_& m) {
  if (math::blas::library_file().find("mulberry_ml.libs") != std::string::npos) {
    math::blas::choose_core();
  }
  m.def("prepare_blas", &math::blas::choose_core,
        "Let an OpenBLAS that does not know this processor choose its kernels again.");
  m.def(
      "blas_core", [] { return std::string(math::blas::core_name()); },
      "The kernels that OpenBLAS uses.");
}

}  // namespace mulberry::python

NB_MODULE(_core, m) {
  using namespace mulberry::python;
  m.doc() = "The C++ library behind mulberry.";
  bind_errors(m);
  bind_blas(m);
  bind_base(m);
  bind_changes(m);
  bind_datasets(m);
  bind_learners(m);
  bind_measures(m);
  bind_parts(m);
  bind_pages(m);
  bind_study(m);
  bind_evaluation(m);
  bind_rows(m);
  bind_splits(m);
  bind_suspects(m);
  bind_review(m);
  bind_text(m);
}
