#include "mulberry/data/text/texts.hpp"

namespace mulberry::data {

Texts::Texts(std::span<const std::string> rows) {
  TextsBuilder out;
  for (const std::string& row : rows) out.add(row);
  *this = out.finish();
}

bool Texts::operator==(const Texts& other) const {
  if (rows() != other.rows()) return false;
  for (Index i = 0; i < rows(); ++i) {
    if ((*this)[i] != other[i]) return false;
  }
  return true;
}

Texts pick_rows(const Texts& texts, std::span<const Id> rows) {
  Texts out = texts;
  std::vector<Id> picked;
  picked.reserve(rows.size());
  for (const Id i : rows) picked.push_back(texts.is_picked_ ? texts.picked_[at(i)] : i);
  out.picked_ = std::move(picked);
  out.is_picked_ = true;
  return out;
}

}  // namespace mulberry::data
