// Model: a trained multi-label learner, whatever its kind. Learners do not derive from it: they
// write a plain struct, and define.hpp wraps it.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "mulberry/core/archive.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/data/view.hpp"
#include "mulberry/model/prediction.hpp"

namespace mulberry::model {

// How training ended. A solver that stops early is not an error; it says so here.
struct Summary {
  bool converged = true;
  bool interrupted = false;  // stopped by the user; this is the best model so far
  double objective = std::numeric_limits<double>::quiet_NaN();
  double gap = std::numeric_limits<double>::quiet_NaN();  // largest certified relative gap
  Index rounds = 0;                                       // iterations, boosting rounds, ...
  // What a user should know of this model: that it answers the same for every row, say. Sentences
  // without a capital and without a full stop.
  std::vector<std::string> remarks = {};
};

// The meaning of the rows and columns of a result; `inspect` names them accordingly.
enum class Axis { labels, sets, features, numbered, named };

// A table that a model can show beyond predictions: certificates, reuse scores, what was tried.
struct Result {
  std::string id = {};        // stable name: "certificate", "reuse_score"
  std::string sentence = {};  // description for people
  Axis rows = Axis::numbered;
  Axis columns = Axis::named;
  std::vector<std::string> row_names = {};     // if rows == named
  std::vector<std::string> column_names = {};  // if columns == named
  Matrix values = {};
};

class Model {
 public:
  virtual ~Model() = default;
  virtual Prediction predict(const View& view, const Context& ctx) const = 0;
  virtual void write(ArchiveWriter& out) = 0;
  virtual Summary summary() const = 0;
  virtual std::vector<Result> results() const = 0;
  // Scores of the training rows by those parts of the model that have not seen them, where training
  // leaves rows out anyway; null if there are none. Not saved.
  virtual const Matrix* held_out() const { return nullptr; }
};

}  // namespace mulberry::model
