// Mulan's label files: <labels><label name="a"/>...</labels>, possibly nested. Exclusive label sets
// and rules that nesting cannot express are stored in processing instructions, which other XML
// readers skip:
//     <?mulberry-set name="brand" label="brand=audi" label="brand=bmw"?>
//     <?mulberry-implies label="dog" label="pet"?>
//     <?mulberry-exclusive label="day" label="night"?>
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/core/matrix.hpp"
#include "mulberry/data/label_rules.hpp"

namespace mulberry::data {

struct LabelXml {
  struct Label {
    std::string name;
    Id parent = -1;  // the label it is nested in, an index into `labels`
    Place where = {};
  };
  struct Set {
    std::string name;
    std::vector<std::string> labels = {};
  };
  std::string path = {};
  std::vector<Label> labels = {};  // in the order of the file
  std::vector<Set> sets = {};
  NamedRules rules = {};  // besides the nesting

  bool nested() const;
};

// Errors give the line of the XML: unknown elements, a missing, empty or repeated name, entity
// declarations, a set or a rule without labels or with unknown ones, a label in two sets, anything
// that is not well formed.
LabelXml read_label_xml(const std::string& path);
LabelXml parse_label_xml(std::string_view text, const std::string& path);

// The label file next to the data: of all .xml files in its folder whose stem is a prefix of the
// data file's name, the one with the longest stem (rcv1subset1.arff.gz finds rcv1subset.xml).
std::optional<std::string> find_label_xml(const std::string& data_path);

}  // namespace mulberry::data
