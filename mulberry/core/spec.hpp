// Spec: a learner by name with its parameters, as people write it, one grammar everywhere:
//
//     ecc(chains=10, base=linear_svm(C=2))
//
//   spec  = name [ "(" [ param { "," param } ] ")" ]
//   param = name "=" value
//   value = spec | number | word | '"' text '"' | "[" text "]"
//
// A bare word stays text: the parameter's type says whether it names a learner.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::core {

struct Spec;
using SpecValue = std::variant<std::string, Spec>;

struct Spec {
  std::string id = {};
  std::vector<std::pair<std::string, SpecValue>> params = {};

  Spec() = default;
  Spec(std::string name) : id(std::move(name)) {}  // NOLINT: a bare name is a spec
  Spec(const char* name) : id(name) {}             // NOLINT

  const SpecValue* find(std::string_view name) const;
  // Sets a parameter; a dotted name reaches into a nested spec: set("base.C", "2").
  void set(std::string_view name, SpecValue value);
  std::string text() const;  // reads back as the same spec
  bool operator==(const Spec&) const = default;
};

std::string value_text(const SpecValue& value);
// A bare word as a spec without parameters.
Spec as_spec(const SpecValue& value);

// Throws an Error (usage) that shows the place of the mistake.
Spec parse_spec(std::string_view text);

}  // namespace mulberry::core
