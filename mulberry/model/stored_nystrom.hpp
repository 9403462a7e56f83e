// Nystrom features as a field of a model: made on training rows, computed for new ones.
#pragma once

#include "mulberry/math/kernels/nystrom.hpp"
#include "mulberry/model/stored_features.hpp"

namespace mulberry::model {

struct StoredNystrom {
  Kernel kernel = {};
  StoredFeatures landmarks = {};
  FixedMatrix root = {};

  StoredNystrom() = default;
  StoredNystrom(const Kernel& of, const Features& train, Index count, const Context& ctx)
      : kernel(of),
        landmarks{choose_landmarks(of, train, count, ctx)},
        root(nystrom_root(of, landmarks.x, ctx)) {}

  // One column per landmark.
  Matrix features(const Features& x, const Context& ctx) const {
    return nystrom_features(kernel, landmarks.x, root, x, ctx);
  }
  template <class V>
  void visit(V& v) {
    v("kernel", kernel);
    v("landmarks", landmarks);
    v("root", root, finite().rows(landmarks.x.rows()).cols(landmarks.x.rows()));
    v.require(landmarks.x.cols() == v.features(), "landmarks",
              "does not have the features of the model");
  }
};

}  // namespace mulberry::model
