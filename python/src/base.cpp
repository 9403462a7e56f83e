// A base learner that is trained and asked in Python: any scikit-learn classifier as the base of a
// meta-learner. In a spec it is `python_scores(object=N)`, or `python_probabilities(object=N)` if
// it gives probabilities, where N is its number in the table of held objects; the package wraps the
// classifier (mulberry/_foreign.py).
//
// A model file cannot hold Python objects. While a model is pickled or unpickled, they are in a
// list next to the file, and the file has their numbers; without such a list, saving is an Error.
//
// A trained model in the hands of Python has its classifiers in its attribute `objects`, where
// Python's collector sees them, and only weak references to them here: cycles through a model, such
// as a classifier whose class was defined next to the variable with the model, are found.
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

nb::object weak_reference(nb::handle object) {
  return nb::steal(PyWeakref_NewRef(object.ptr(), nullptr));
}

// A Python object in the hands of threads that do not hold the GIL: kept alive while a model is
// being trained, and afterwards by the owner of the model.
class Kept {
 public:
  Kept(const nb::object& object, bool alive)
      : weak_(weak_reference(object)), strong_(alive ? object : nb::object()) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    const nb::gil_scoped_acquire acquire;
    weak_.reset();
    strong_.reset();
  }
  // The GIL must be held.
  nb::object get() const { return strong_.is_valid() ? strong_ : weak_(); }
  nb::object release() {
    nb::object out = get();
    strong_.reset();
    return out;
  }

 private:
  nb::object weak_, strong_;
};

// A classifier to be trained, and what has been trained of it.
struct Held {
  nb::object wrapped;
  std::vector<std::weak_ptr<Kept>> made = {};
};

std::vector<Held>& held() {
  static auto* table = new std::vector<Held>;  // outlives the interpreter on purpose
  return *table;
}

thread_local nb::list* beside = nullptr;

// The features of a problem as mulberry/_foreign.py asks for them: where they lie, so that it can
// hand over the object that the user gave, or their values.
struct Seen {
  Features x;

  nb::object picked() const {
    if (!x.is_picked()) return nb::none();
    return nb::cast(to_numpy(std::vector(x.picked().begin(), x.picked().end())));
  }
  // Dense values share the memory, and may not be written.
  nb::object values() const {
    if (x.is_sparse()) return to_numpy(to_sparse(x));
    auto* kept = new FixedMatrix(to_dense(x));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<FixedMatrix*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, const double, nb::ndim<2>>(
        kept->data(),
        {static_cast<std::size_t>(kept->rows()), static_cast<std::size_t>(kept->cols())}, owner));
  }
};

struct PythonModel {
  std::shared_ptr<Kept> fitted;

  // Columns of its scores: one for two classes. The GIL must be held.
  Index outputs() const {
    const auto classes = nb::cast<Index>(fitted->get().attr("classes"));
    return classes == 2 ? 1 : classes;
  }

  Matrix scores(const Features& x, const Context& ctx) const {
    ctx.check();
    const nb::gil_scoped_acquire acquire;
    const nb::object answer = fitted->get().attr("scores")(Seen{x});
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
      fitted =
          std::make_shared<Kept>(nb::borrow((*beside)[static_cast<std::size_t>(number)]), false);
    } else {
      auto number = static_cast<Index>(nb::len(*beside));
      beside->append(fitted->get());
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
  nb::object fitted = held()[number].wrapped.attr("fit")(
      Seen{problem.x}, to_numpy(std::vector(problem.y.begin(), problem.y.end())), problem.classes,
      weights);
  PythonModel out{std::make_shared<Kept>(fitted, true)};
  auto& made = held()[number].made;  // training may have held others
  std::erase_if(made, [](const auto& kept) { return kept.expired(); });
  made.push_back(out.fitted);
  return out;
}

// Holds an object until released; numbers are used again.
Index hold(nb::object object) {
  auto& table = held();
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (table[k].wrapped.is_none()) {
      table[k] = {std::move(object)};
      return static_cast<Index>(k);
    }
  }
  table.push_back({std::move(object)});
  return static_cast<Index>(table.size()) - 1;
}

void release(Index number) { held().at(static_cast<std::size_t>(number)) = {nb::none()}; }

}  // namespace

ObjectsBeside::ObjectsBeside(nb::list& objects) { beside = &objects; }
ObjectsBeside::~ObjectsBeside() { beside = nullptr; }

nb::list release_objects(const Spec& spec) {
  nb::list out;
  for (const auto& [name, value] : spec.params) {
    if (const auto* inner = std::get_if<Spec>(&value)) {
      for (const nb::handle object : release_objects(*inner)) out.append(object);
    } else if (spec.id.starts_with("python_") && name == "object") {
      auto& made =
          held().at(static_cast<std::size_t>(std::stoll(std::get<std::string>(value)))).made;
      for (const auto& kept : made) {
        if (const auto alive = kept.lock()) out.append(alive->release());
      }
      made.clear();
    }
  }
  return out;
}

void bind_base(nb::module_& m) {
  for (const char* id : k_python_ids) {
    const bool probabilities = std::string_view(id).starts_with(k_python_probabilities);
    add_base(define_base<Params, PythonModel>(
        {.id = id,
         .summary = "A classifier written in Python",
         .reference = "",
         .scale = probabilities ? Scale::probability : Scale::margin,
         .tags = {.missing_features = std::string_view(id).ends_with("_of_gaps"),
                  .probabilities = probabilities,
                  .weights = true},
         .listed_rows = true},
        fit));
  }
  nb::class_<Seen>(m, "Seen")
      .def_prop_ro("place",
                   [](const Seen& seen) {
                     return nb::make_tuple(reinterpret_cast<std::uintptr_t>(seen.x.address()),
                                           seen.x.rows_there(), seen.x.cols());
                   })
      .def_prop_ro("picked", &Seen::picked)
      .def("values", &Seen::values);
  m.def("hold", &hold, nb::arg("wrapped"));
  m.def("release", &release, nb::arg("number"));
}

}  // namespace mulberry::python
