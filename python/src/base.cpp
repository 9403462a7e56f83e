// A base learner that is trained and asked in Python: any scikit-learn classifier as the base of a
// meta-learner. In a spec it is `python_scores(object=N)`, or `python_probabilities(object=N)` if
// it gives probabilities, where N is its number in the table of held objects; the package wraps the
// classifier (mulberry/_foreign.py).
//
// A model file cannot hold Python objects. While a model is pickled or unpickled, they are in a
// list next to the file, and the file has their numbers; without such a list, saving is an Error.
#include "python/src/base.hpp"
#include "mulberry/base/add_base.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/model/define.hpp"
#include "python/src/convert.hpp"

namespace mulberry::python {
namespace {

struct Params {
  Index object = 0;

  static Fields fields() {
    return Fields{field("object", &Params::object, "number of the Python object", at_least(0))};
  }
  // The features that the classifier is handed; what it takes itself only it knows.
  MemoryNeed memory(const Extent& e) const {
    const double outputs = e.classes > 2 ? e.classes : 1;
    return {.fit = e.features(), .predict = e.asked_features() + 8 * e.asked * outputs};
  }
};

// A Python object in the hands of threads that do not hold the GIL.
using Shared = std::shared_ptr<PyObject>;

Shared share(nb::object object) {
  return {object.release().ptr(), [](PyObject* pointer) {
            const nb::gil_scoped_acquire acquire;
            Py_DECREF(pointer);
          }};
}

std::vector<nb::object>& held() {
  static auto* table = new std::vector<nb::object>;  // outlives the interpreter on purpose
  return *table;
}

thread_local nb::list* beside = nullptr;

// The features as separate arrays: a classifier may keep what it was trained on.
nb::object to_python(const Features& x) {
  if (x.is_sparse()) return to_numpy(to_sparse(x));
  return nb::cast(to_numpy(Matrix(to_dense(x))));
}

struct PythonModel {
  Shared fitted;

  // Columns of its scores: one for two classes. The GIL must be held.
  Index outputs() const {
    const auto classes = nb::cast<Index>(nb::handle(fitted.get()).attr("classes"));
    return classes == 2 ? 1 : classes;
  }

  Matrix scores(const Features& x, const Context& ctx) const {
    ctx.check();
    const nb::gil_scoped_acquire acquire;
    const nb::object answer = nb::handle(fitted.get()).attr("scores")(to_python(x));
    const auto array = nb::cast<DenseArray>(answer);
    if (static_cast<Index>(array.shape(0)) != x.rows() ||
        static_cast<Index>(array.shape(1)) != outputs()) {
      throw Error(Code::data,
                  "expected scores of " + std::to_string(x.rows()) + " rows and " +
                      std::to_string(outputs()) + " columns from the classifier inside, found " +
                      std::to_string(array.shape(0)) + " x " + std::to_string(array.shape(1)),
                  "Its predict_proba and decision_function must answer for every row and class");
    }
    return {static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1)),
            std::vector(array.data(), array.data() + array.size())};
  }

  template <class V>
  void visit(V& v) {
    const nb::gil_scoped_acquire acquire;
    if (beside == nullptr) {
      throw Error(Code::unsupported,
                  "expected a model made by this library alone, found a scikit-learn classifier "
                  "inside, which a model file cannot hold",
                  "Use pickle or joblib for this model");
    }
    if constexpr (std::same_as<V, ArchiveReader>) {
      Index number = 0;
      v("object", number, below(static_cast<Index>(nb::len(*beside))));
      fitted = share(nb::borrow((*beside)[at(number)]));
    } else {
      auto number = static_cast<Index>(nb::len(*beside));
      beside->append(nb::borrow(fitted.get()));
      v("object", number, any_count());
    }
  }
};

PythonModel fit(const ColumnProblem& problem, const Params& params, const Context& ctx) {
  ctx.check();
  const nb::gil_scoped_acquire acquire;
  const auto number = at(params.object);
  MULBERRY_ASSERT(number < held().size());
  nb::object weights = nb::none();
  if (!problem.weights.empty()) {
    weights = nb::cast(to_numpy(std::vector(problem.weights.begin(), problem.weights.end())));
  }
  return {share(held()[number].attr("fit")(
      to_python(problem.x), to_numpy(std::vector(problem.y.begin(), problem.y.end())),
      problem.classes, weights))};
}

// Holds an object until released; numbers are used again.
Index hold(nb::object object) {
  auto& table = held();
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (table[k].is_none()) {
      table[k] = std::move(object);
      return static_cast<Index>(k);
    }
  }
  table.push_back(std::move(object));
  return static_cast<Index>(table.size()) - 1;
}

void release(Index number) { held().at(at(number)) = nb::none(); }

}  // namespace

ObjectsBeside::ObjectsBeside(nb::list& objects) { beside = &objects; }
ObjectsBeside::~ObjectsBeside() { beside = nullptr; }

void bind_base(nb::module_& m) {
  for (const bool probabilities : {false, true}) {
    add_base(define_base<Params, PythonModel>(
        {.id = probabilities ? k_python_probabilities : k_python_scores,
         .summary = "A classifier written in Python",
         .reference = "",
         .scale = probabilities ? Scale::probability : Scale::margin,
         .tags = {.probabilities = probabilities, .weights = true}},
        fit));
  }
  m.def("hold", &hold, nb::arg("wrapped"));
  m.def("release", &release, nb::arg("number"));
}

}  // namespace mulberry::python
