#include "mulberry/measures/protocol.hpp"

#include "mulberry/core/index.hpp"

namespace mulberry::measures {

ProtocolCurve::ProtocolCurve(Index labels) {
  const auto size = at(labels + 1);
  for (Steps* steps : {&micro_, &per_image_}) {
    steps->relevant.resize(size);
    steps->irrelevant_replaced.resize(size);
    steps->complete.resize(size);
  }
}

void ProtocolCurve::add(const Ranks& ranks, Ties ties) {
  if (ranks.observed == 0) {
    ++unobserved_;
    return;
  }
  const auto relevant = static_cast<double>(ranks.relevant);
  const auto irrelevant = static_cast<double>(ranks.observed - ranks.relevant);
  const bool both = relevant > 0 && irrelevant > 0;
  const auto last = at(ranks.observed);
  micro_.complete[last] += 1;
  micro_.relevant_total += relevant;
  micro_.irrelevant_total += irrelevant;
  if (both) {
    per_image_.complete[last] += 1 / irrelevant;
    per_image_.relevant_total += 1;
    per_image_.irrelevant_total += 1;
  } else {
    ++one_kind_;
  }
  const auto put = [&](Index rank, double weight, Index) {
    const auto r = at(rank);
    micro_.relevant[r] += weight;
    micro_.irrelevant_replaced[r] += weight;
    if (both) {
      per_image_.relevant[r] += weight / relevant;
      per_image_.irrelevant_replaced[r] += weight / irrelevant;
    }
  };
  for (TieGroup g : ranks.groups) {
    if (ties == Ties::worst) {
      g.above += g.size - g.relevant;
      g.size = g.relevant;
      for_ranks(ranks, g, Ties::best, ranks.observed, put);
    } else {
      for_ranks(ranks, g, ties, ranks.observed, put);
    }
  }
}

void ProtocolCurve::add(Steps& to, const Steps& from) {
  for (std::size_t r = 0; r < to.relevant.size(); ++r) {
    to.relevant[r] += from.relevant[r];
    to.irrelevant_replaced[r] += from.irrelevant_replaced[r];
    to.complete[r] += from.complete[r];
  }
  to.relevant_total += from.relevant_total;
  to.irrelevant_total += from.irrelevant_total;
}

void ProtocolCurve::add(const ProtocolCurve& other) {
  add(micro_, other.micro_);
  add(per_image_, other.per_image_);
  unobserved_ += other.unobserved_;
  one_kind_ += other.one_kind_;
}

MeasureValue ProtocolCurve::area(std::string_view name, const Steps& steps) {
  if (steps.relevant_total == 0 || steps.irrelevant_total == 0) {
    return no_value(name, "true and false labels are not both present");
  }
  double running = 0;  // weight of the rows that predict another label at this rank
  for (const double weight : steps.complete) running += weight;
  double area = 0, tpr = 0;
  for (std::size_t r = 1; r < steps.relevant.size(); ++r) {
    const double tpr_before = tpr;
    tpr += steps.relevant[r] / steps.relevant_total;
    const double fpr_gain = (running - steps.irrelevant_replaced[r]) / steps.irrelevant_total;
    area += (tpr_before + tpr) / 2 * fpr_gain;
    running -= steps.complete[r];
  }
  return plain_value(name, area);
}

MeasureValue ProtocolCurve::micro() const {
  MeasureValue out = area("protocol_auc", micro_);
  out.unobserved = unobserved_;
  return out;
}

MeasureValue ProtocolCurve::per_image() const {
  MeasureValue out = area("protocol_auc_per_image", per_image_);
  out.undefined = one_kind_;
  out.unobserved = unobserved_;
  return out;
}

}  // namespace mulberry::measures
