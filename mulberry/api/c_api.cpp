// The C interface, on top of the C++ one.
#include <mulberry/mulberry.h>
#include <mulberry/mulberry.hpp>

#include <exception>
#include <string>

#include "mulberry/core/index.hpp"

struct mulberry_model {
  mulberry::Model model;
};

namespace mulberry::api {
namespace {

// A fixed array, because there is no throwing while a failure is written down.
constexpr std::size_t k_longest = 2048;
thread_local char last_error[k_longest] = "";

mulberry_status failed(mulberry_status status, const char* text) noexcept {
  std::size_t k = 0;
  for (; k + 1 < k_longest && text[k] != '\0'; ++k) last_error[k] = text[k];
  last_error[k] = '\0';
  return status;
}

mulberry_status status_of(ErrorCode code) noexcept {
  return static_cast<mulberry_status>(static_cast<int>(code) + 1);
}
static_assert(static_cast<int>(ErrorCode::usage) + 1 == MULBERRY_ERROR_USAGE);
static_assert(static_cast<int>(ErrorCode::data) + 1 == MULBERRY_ERROR_DATA);
static_assert(static_cast<int>(ErrorCode::memory) + 1 == MULBERRY_ERROR_MEMORY);
static_assert(static_cast<int>(ErrorCode::internal) + 1 == MULBERRY_ERROR_INTERNAL);

template <class Work>
mulberry_status status_after(const Work& work) noexcept {
  try {
    work();
    return MULBERRY_OK;
  } catch (const Error& error) {
    return failed(status_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return failed(MULBERRY_ERROR_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return failed(MULBERRY_ERROR_INTERNAL, error.what());
  } catch (...) {
    return failed(MULBERRY_ERROR_INTERNAL, "an unknown exception");
  }
}

void require(bool condition, const char* problem) {
  if (!condition) throw Error(ErrorCode::usage, problem);
}

template <class Rows>
Prediction predict(const mulberry_model* model, const Rows& rows, int threads, const void* out) {
  require(model != nullptr, "expected a model, got a null pointer");
  require(out != nullptr, "expected memory for the result, got a null pointer");
  return model->model.predict(rows, Context(threads));
}

template <class Rows>
void predict_into(const mulberry_model* model, mulberry_output output, const Rows& rows,
                  int threads, double* out) {
  const Prediction prediction = predict(model, rows, threads, out);
  const std::span<double> room(out, core::at(prediction.rows() * prediction.label_count()));
  switch (output) {
    case MULBERRY_SCORES:
      return copy_scores(prediction, room);
    case MULBERRY_PROBABILITIES:
      return copy_probabilities(prediction, room);
  }
  throw Error(ErrorCode::usage, "expected MULBERRY_SCORES or MULBERRY_PROBABILITIES as output");
}

template <class Rows>
void decide_into(const mulberry_model* model, const Rows& rows, int threads, std::int8_t* out) {
  const Prediction prediction = predict(model, rows, threads, out);
  copy_decisions(prediction, {out, core::at(prediction.rows() * prediction.label_count())});
}

const char* name_at(const std::vector<std::string>& names, std::int64_t number) {
  if (number < 0 || number >= static_cast<std::int64_t>(names.size())) return nullptr;
  return names[core::at(number)].c_str();
}

}  // namespace
}  // namespace mulberry::api

extern "C" {

const char* mulberry_version(void) { return MULBERRY_VERSION_STRING; }

const char* mulberry_last_error(void) { return mulberry::api::last_error; }

mulberry_status mulberry_model_load(const char* path, mulberry_model** model) {
  if (model != nullptr) *model = nullptr;
  return mulberry::api::status_after([&] {
    mulberry::api::require(path != nullptr && model != nullptr,
                           "expected a path and a place for the model, got a null pointer");
    *model = new mulberry_model{mulberry::Model::load(path)};
  });
}

void mulberry_model_free(mulberry_model* model) { delete model; }

const char* mulberry_model_learner(const mulberry_model* model) {
  return model == nullptr ? nullptr : model->model.learner().c_str();
}

int64_t mulberry_model_label_count(const mulberry_model* model) {
  return model == nullptr ? 0 : model->model.label_count();
}

int64_t mulberry_model_feature_count(const mulberry_model* model) {
  return model == nullptr ? 0 : model->model.columns();
}

const char* mulberry_model_label_name(const mulberry_model* model, int64_t label) {
  return model == nullptr ? nullptr : mulberry::api::name_at(model->model.label_names(), label);
}

const char* mulberry_model_feature_name(const mulberry_model* model, int64_t feature) {
  return model == nullptr ? nullptr : mulberry::api::name_at(model->model.feature_names(), feature);
}

mulberry_status mulberry_predict_dense(const mulberry_model* model, mulberry_output output,
                                       const double* values, int64_t rows, int64_t cols,
                                       int threads, double* out) {
  return mulberry::api::status_after([&] {
    const mulberry::DenseRows given{.values = values, .rows = rows, .cols = cols};
    mulberry::api::predict_into(model, output, given, threads, out);
  });
}

mulberry_status mulberry_predict_csr(const mulberry_model* model, mulberry_output output,
                                     int64_t rows, int64_t cols, const int64_t* start,
                                     const int32_t* index, const double* values, int threads,
                                     double* out) {
  return mulberry::api::status_after([&] {
    const mulberry::SparseRows given{
        .rows = rows, .cols = cols, .start = start, .index = index, .value = values};
    mulberry::api::predict_into(model, output, given, threads, out);
  });
}

mulberry_status mulberry_decide_dense(const mulberry_model* model, const double* values,
                                      int64_t rows, int64_t cols, int threads, int8_t* out) {
  return mulberry::api::status_after([&] {
    const mulberry::DenseRows given{.values = values, .rows = rows, .cols = cols};
    mulberry::api::decide_into(model, given, threads, out);
  });
}

mulberry_status mulberry_decide_csr(const mulberry_model* model, int64_t rows, int64_t cols,
                                    const int64_t* start, const int32_t* index,
                                    const double* values, int threads, int8_t* out) {
  return mulberry::api::status_after([&] {
    const mulberry::SparseRows given{
        .rows = rows, .cols = cols, .start = start, .index = index, .value = values};
    mulberry::api::decide_into(model, given, threads, out);
  });
}

}  // extern "C"
