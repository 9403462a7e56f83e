#include "mulberry/model/consistent/max_closure.hpp"

#include <algorithm>
#include <limits>

#include "mulberry/core/index.hpp"

namespace mulberry::model {
namespace {

// A network with doubles as capacities. Every path that is filled up sets at least one capacity to
// exactly 0, so that rounding cannot keep the method from ending.
class Network {
 public:
  explicit Network(std::size_t nodes) : first_(nodes, -1), level_(nodes), next_(nodes) {}

  void connect(Id from, Id to, double capacity) {
    add(from, to, capacity);
    add(to, from, 0);
  }

  void fill(Id source, Id sink) {
    while (find_levels(source, sink)) {
      next_ = first_;
      while (push(source, sink)) {
      }
    }
  }

  // Nodes that flow can still reach: the side of the source in a minimum cut.
  std::vector<bool> reached(Id source) {
    find_levels(source, -1);
    std::vector<bool> out(level_.size());
    std::transform(level_.begin(), level_.end(), out.begin(), [](Id level) { return level >= 0; });
    return out;
  }

 private:
  struct Edge {
    Id to;
    Id after;  // the next edge of the same node
    double capacity;
  };

  void add(Id from, Id to, double capacity) {
    edges_.push_back({to, first_[at(from)], capacity});
    first_[at(from)] = static_cast<Id>(edges_.size()) - 1;
  }

  bool find_levels(Id source, Id sink) {
    std::ranges::fill(level_, -1);
    level_[at(source)] = 0;
    queue_.assign(1, source);
    for (std::size_t k = 0; k < queue_.size(); ++k) {
      const Id node = queue_[k];
      for (Id e = first_[at(node)]; e >= 0; e = edges_[at(e)].after) {
        const Edge& edge = edges_[at(e)];
        if (edge.capacity <= 0 || level_[at(edge.to)] >= 0) continue;
        level_[at(edge.to)] = level_[at(node)] + 1;
        queue_.push_back(edge.to);
      }
    }
    return sink >= 0 && level_[at(sink)] >= 0;
  }

  // Fills one path of increasing levels; a loop, because chains of labels may be long.
  bool push(Id source, Id sink) {
    path_.clear();
    for (Id node = source; node != sink;) {
      Id& e = next_[at(node)];
      while (e >= 0 && !(edges_[at(e)].capacity > 0 &&
                         level_[at(edges_[at(e)].to)] == level_[at(node)] + 1)) {
        e = edges_[at(e)].after;
      }
      if (e >= 0) {
        path_.push_back(e);
        node = edges_[at(e)].to;
        continue;
      }
      if (path_.empty()) return false;
      level_[at(node)] = -1;  // leads nowhere
      node = edges_[at(path_.back() ^ 1)].to;
      path_.pop_back();
    }
    double least = std::numeric_limits<double>::infinity();
    for (const Id e : path_) least = std::min(least, edges_[at(e)].capacity);
    for (const Id e : path_) {
      edges_[at(e)].capacity -= least;
      edges_[at(e ^ 1)].capacity += least;
    }
    return true;
  }

  std::vector<Id> first_, level_, next_, queue_, path_;
  std::vector<Edge> edges_;
};

}  // namespace

std::vector<bool> max_closure(std::span<const double> weights,
                              std::span<const std::pair<Id, Id>> needed) {
  const auto count = static_cast<Id>(weights.size());
  const Id source = count, sink = count + 1;
  Network network(weights.size() + 2);
  double all = 0;
  for (const double w : weights) all += std::max(w, 0.0);
  for (Id v = 0; v < count; ++v) {
    const double w = weights[at(v)];
    if (w > 0) network.connect(source, v, w);
    if (w < 0) network.connect(v, sink, -w);
  }
  // More than all flow that there is, which stands for infinity and stays a number.
  for (const auto& [node, required] : needed) network.connect(node, required, 2 * all + 1);
  network.fill(source, sink);
  std::vector<bool> out = network.reached(source);
  out.resize(weights.size());
  return out;
}

}  // namespace mulberry::model
