// The ROC curve of "predict the k best labels of every row", k = 0..L, of Bucak, Jin and Jain
// (MLR-GL, CVPR 2011). micro: rates over all cells; per_image: rates of each row, averaged over the
// rows that have both kinds of labels. Area by trapezoids. A row of o observed labels stays
// complete from k = o on.
#pragma once

#include <vector>

#include "mulberry/measures/ranks.hpp"
#include "mulberry/measures/value.hpp"

namespace mulberry::measures {

class ProtocolCurve {
 public:
  ProtocolCurve() = default;
  explicit ProtocolCurve(Index labels);
  // Ties as for positions, but under `worst` the irrelevant labels of a group come first.
  void add(const Ranks& ranks, Ties ties);
  void add(const ProtocolCurve& other);
  MeasureValue micro() const;
  MeasureValue per_image() const;

 private:
  // One form of the curve; entry r belongs to rank r.
  struct Steps {
    std::vector<double> relevant;             // gain of the true positive rate, times its total
    std::vector<double> irrelevant_replaced;  // false positives a relevant label leaves out
    std::vector<double> complete;             // weight of the rows that end at this rank
    double relevant_total = 0, irrelevant_total = 0;
  };
  static MeasureValue area(std::string_view name, const Steps& steps);
  static void add(Steps& to, const Steps& from);

  Steps micro_, per_image_;
  Index unobserved_ = 0, one_kind_ = 0;
};

}  // namespace mulberry::measures
