// The network of BP-MLL: inputs brought to [-0.8, 0.8], one hidden layer of tanh units, one tanh
// output per label, trained by steps of gradient descent on one row at a time.
//
//   x'_j = (x_j - middle_j) factor_j,  a = tanh(b + W'x'),  o = tanh(c + V'a)
//   E_i  = 1 / (|Y_i| |N_i|) sum_{k in Y_i, l in N_i} exp(o_l - o_k)
//   a step on row i:  w <- w - rate (dE_i/dw + decay w)   for all weights and constants w
//
// Y_i and N_i are the labels that row i has and lacks; missing cells are in neither. Sparse rows
// stay sparse, although their zeros are not 0 after scaling. Cost of a step: stored values of the
// row times hidden units, and hidden units times labels.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/bounds.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/features.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::learners {

// Whether the row has some label and lacks another.
bool has_pairs(const Labels& y, Index row);

// E of one row, and dE/do in `gradient`; 0 if the row has no pair of labels. Cost: O(L).
double pair_loss(std::span<const double> outputs, std::span<const Id> relevant,
                 std::span<const Id> missing, std::span<double> gradient);

// Columns to [-0.8, 0.8] as measured on training rows; constant columns become 0.
struct InputScale {
  std::vector<double> middle = {}, factor = {};

  static InputScale of(const Features& x, const Context& ctx);
  double operator()(double value, std::size_t column) const {
    return (value - middle[column]) * factor[column];
  }
  template <class V>
  void visit(V& v) {
    v("middle", middle, finite().length(v.features()));
    v("factor", factor, finite().length(v.features()));
  }
};

struct BpNetwork {
  InputScale scale = {};
  Matrix input = {};                     // features x hidden units
  std::vector<double> hidden_bias = {};  // one per hidden unit
  Matrix output = {};                    // hidden units x labels
  std::vector<double> output_bias = {};  // one per label

  Matrix outputs(const Features& x, const Context& ctx) const;  // rows x labels

  template <class V>
  void visit(V& v) {
    v("scale", scale);
    v("input", input, finite().rows(v.features()));
    v("hidden_bias", hidden_bias, finite().length(input.cols()));
    v("output", output, finite().rows(input.cols()).cols(v.outputs()));
    v("output_bias", output_bias, finite().length(v.outputs()));
  }
};

struct BpSettings {
  Index hidden = 1;
  double rate = 0.05;
  double decay = 0;  // of one step; rate * decay < 1
};

// Training: a network with random weights, uniform in +- 0.5 / sqrt(inputs of the unit), and its
// steps. x and y must outlive it.
class BpTraining {
 public:
  BpTraining(const Features& x, const Labels& y, const BpSettings& settings, const Context& ctx);

  double step(Index row);  // returns E of the row before the step
  double loss(Index row);  // E of the row
  BpNetwork network() const;

 private:
  // A row of inputs: all values, or those at `index`.
  struct Row {
    const double* value;
    const Id* index;  // null: all
    Index count;
  };
  // One layer for inputs x + offset, where x is given. Its weights are scale * (v + offset q'): a
  // step shrinks all weights and moves all of them by multiples of the offset, which changes scale
  // and q; v changes only for inputs x other than 0.
  class Layer {
   public:
    Layer(Index inputs, Index outputs, std::vector<double> offset, Random random);
    void forward(const Row& row, std::span<double> out) const;              // tanh(bias + W'x)
    void back(std::span<const double> delta, std::span<double> out) const;  // W delta
    void descend(const Row& row, std::span<const double> delta, double rate, double shrink);
    Matrix weights() const;
    const std::vector<double>& bias() const { return bias_; }

   private:
    double offset_product(const Row& row) const;  // offset.x
    void write_out_scale();

    Index inputs_, outputs_;
    std::vector<double> offset_;  // one per input; empty: zeros
    double offset_norm2_ = 0;
    double scale_ = 1;
    std::vector<double> v_;      // inputs x outputs
    std::vector<double> q_, t_;  // one per output; t = v'offset
    std::vector<double> bias_;
    std::vector<double> move_;  // of the current step
  };

  Row row_of(Index i) const;
  double forward(Index row);  // outputs, E and its gradient with respect to them

  const Labels& y_;
  BpSettings settings_;
  InputScale scale_;
  Features x_;  // dense rows scaled; sparse rows multiplied by their factor, without the offset
  Layer input_, output_;
  std::vector<double> hidden_, answer_, delta_hidden_, delta_answer_;  // of the current row
};

}  // namespace mulberry::learners
