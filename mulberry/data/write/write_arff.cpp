// ARFF as Weka, Mulan and MEKA read it: the features first, nominal ones with their values as in
// the file they come from, then the labels as {0,1}, rows sparse if the features are; and the Mulan
// XML that names the labels, their hierarchy and exclusive sets.
#include <algorithm>
#include <array>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/write/writers.hpp"

namespace mulberry::data {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-.=+/:;#*$&()[]<>!~^|").find(c) != std::string_view::npos;
}

// A name as it is if every reader takes it literally, otherwise in quotes with escapes.
std::string arff_name(std::string_view name) {
  bool plain = !name.empty();
  for (const char c : name) plain = plain && is_plain(c);
  if (plain) return std::string(name);
  std::string out = "'";
  for (const char c : name) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\'':
      case '"':
      case '\\':
      case '%':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  }
  return out + "'";
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\t':
      case '\n':
      case '\r':
        out += "&#" + std::to_string(static_cast<int>(c)) + ";";
        break;
      default:
        if (static_cast<unsigned char>(c) < 32) {
          throw Error(Code::unsupported,
                      "expected label names of printable characters, found " + in_quotes(text) +
                          ", which XML cannot hold",
                      "Rename the label, or write a .csv or .npz file");
        }
        out += c;
    }
  }
  return out;
}

// An attribute of the file and the columns of x that hold it.
struct Attribute {
  std::string name;
  Index begin = 0, size = 1;
  std::vector<std::string> values = {};  // nominal, as the file spells them; empty: numeric
};

class Attributes {
 public:
  explicit Attributes(const Dataset& data) : of_column_(at(data.columns())) {
    const std::vector<std::string> names = feature_names_to_write(data);
    auto nominal = data.nominal_columns.begin();
    for (Index j = 0; j < data.columns(); j += list_.back().size) {
      list_.push_back({names[at(j)], j});
      if (nominal != data.nominal_columns.end() && nominal->begin == j) {
        declare(data, nominal->size, list_.back());
        ++nominal;
      }
      for (Index v = 0; v < list_.back().size; ++v) {
        of_column_[at(j + v)] = list_.size() - 1;
      }
    }
  }

  const std::vector<Attribute>& list() const { return list_; }
  std::size_t of_column(Index column) const { return of_column_[at(column)]; }

 private:
  // The values of a nominal attribute, whose columns are named after them. Ordinal codes were
  // requested when the data was read, and stay numbers.
  void declare(const Dataset& data, Index size, Attribute& out) {
    const auto& [names, values, coding] = data.nominal;
    if (next_ == names.size() || !is_of(out.name, size, names[next_], values[next_])) {
      if (size == 1) out.values = {"0", "1"};
      return;
    }
    const std::vector<std::string>& words = values[next_];
    const std::string& name = names[next_++];
    if (size == 1 && words.size() > 2) return;
    out.name = name;
    out.size = size;
    for (const std::string& value : words) out.values.push_back(arff_name(value));
  }

  static bool is_of(const std::string& column, Index size, const std::string& name,
                    const std::vector<std::string>& words) {
    if (size > 1) return size == std::ssize(words) && column == name + "=" + words[0];
    return column == (words.size() == 2 ? name + "=" + words[1] : name);
  }

  std::size_t next_ = 0;  // of data.nominal
  std::vector<Attribute> list_;
  std::vector<std::size_t> of_column_;
};

// The text of a value of an attribute: `code` counts nominal values.
void write_value(const Attribute& attribute, double code, ByteSink& sink) {
  if (std::isnan(code)) {
    sink.text("?");
  } else if (attribute.values.empty()) {
    sink.number(code);
  } else {
    MULBERRY_ASSERT(code >= 0 && code < static_cast<double>(attribute.values.size()));
    sink.text(attribute.values[static_cast<std::size_t>(code)]);
  }
}

// Labels are few: calls label(l, text) for the ones that are not 0.
template <class Label>
void visit_labels(const Dataset& data, Index i, const Label& label) {
  if (!data.has_labels) return;
  const auto ones = data.y.row(i), gaps = data.y.missing_row(i);
  for (std::size_t a = 0, b = 0; a < ones.size() || b < gaps.size();) {
    if (b == gaps.size() || (a < ones.size() && ones[a] < gaps[b])) {
      label(ones[a++], "1");
    } else {
      label(gaps[b++], "?");
    }
  }
}

// use(text) for the id and the texts of row i, which stand between features and labels.
template <class Use>
void visit_apart(const Dataset& data, Index i, const Use& use) {
  if (!data.ids.empty()) use(std::string_view(data.ids[at(i)]));
  for (const TextColumn& column : data.texts) use(column.texts[i]);
}

std::string arff_text(std::string_view text) { return text.empty() ? "''" : arff_name(text); }

// Omitted values are 0, or the first value of a nominal attribute.
void write_sparse_row(const Dataset& data, const Attributes& attributes, Index i, ByteSink& sink) {
  sink.text("{");
  bool first = true;
  const auto start = [&](std::size_t attribute) {
    if (!first) sink.text(",");
    first = false;
    sink.integer(static_cast<Index>(attribute));
    sink.text(" ");
  };
  const SparseRow row = data.x.sparse_row(i);
  for (std::size_t k = 0; k < row.index.size(); ++k) {
    const std::size_t at = attributes.of_column(row.index[k]);
    const Attribute& attribute = attributes.list()[at];
    double code = row.value[k];
    if (attribute.size > 1) {
      const Index value = row.index[k] - attribute.begin;
      if (std::isnan(code) ? value > 0 : code != 1) continue;  // missing in each of its columns
      if (!std::isnan(code)) code = static_cast<double>(value);
    }
    if (code == 0) continue;
    start(at);
    write_value(attribute, code, sink);
  }
  std::size_t next = attributes.list().size();
  visit_apart(data, i, [&](std::string_view text) {
    start(next++);
    sink.text(arff_text(text));
  });
  visit_labels(data, i, [&](Id label, std::string_view text) {
    start(next + at(label));
    sink.text(text);
  });
  sink.text("}\n");
}

void write_dense_row(const Dataset& data, const Attributes& attributes, Index i, ByteSink& sink) {
  bool first = true;
  const auto next = [&] {
    if (!first) sink.text(",");
    first = false;
  };
  const auto row = data.x.dense_row(i);
  for (const Attribute& attribute : attributes.list()) {
    next();
    double code = row[at(attribute.begin)];
    if (attribute.size > 1 && !std::isnan(code)) {
      const auto columns = row.subspan(at(attribute.begin), at(attribute.size));
      code = static_cast<double>(std::find(columns.begin(), columns.end(), 1.0) - columns.begin());
    }
    write_value(attribute, code, sink);
  }
  visit_apart(data, i, [&](std::string_view text) {
    next();
    sink.text(arff_text(text));
  });
  for (Index l = 0; l < labels_to_write(data); ++l) {
    next();
    const Cell cell = data.y.cell(i, l);
    sink.text(cell == Cell::missing ? "?" : cell == Cell::positive ? "1" : "0");
  }
  sink.text("\n");
}

}  // namespace

void write_arff(const Dataset& data, ByteSink& sink) {
  require_no_weights(data, "arff");
  std::string relation = data.name.empty() ? "data" : data.name;
  if (labels_to_write(data) > 0) relation += ": -C -" + std::to_string(labels_to_write(data));
  sink.text("@relation " + arff_name(relation) + "\n\n");
  const Attributes attributes(data);
  for (const Attribute& attribute : attributes.list()) {
    sink.text(
        "@attribute " + arff_name(attribute.name) +
        (attribute.values.empty() ? " numeric\n" : " {" + join(attribute.values, ",") + "}\n"));
  }
  if (!data.ids.empty()) sink.text("@attribute " + arff_name(data.id_name) + " string\n");
  for (const TextColumn& column : data.texts) {
    sink.text("@attribute " + arff_name(column.name) + " string\n");
  }
  for (Index l = 0; l < labels_to_write(data); ++l) {
    sink.text("@attribute " + arff_name(data.label_names[at(l)]) + " {0,1}\n");
  }
  sink.text("\n@data\n");
  for (Index i = 0; i < data.rows(); ++i) {
    if (data.x.is_sparse()) {
      write_sparse_row(data, attributes, i, sink);
    } else {
      write_dense_row(data, attributes, i, sink);
    }
  }
}

void write_label_xml(const Dataset& data, ByteSink& sink) {
  const auto labels = at(labels_to_write(data));
  std::vector<std::vector<std::size_t>> children(labels + 1);  // the last one: without a parent
  for (std::size_t l = 0; l < labels; ++l) {
    const Id parent = data.rules.parent.empty() ? -1 : data.rules.parent[l];
    children[parent < 0 ? labels : at(parent)].push_back(l);
  }
  sink.text("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
  for (std::size_t s = 0; s < data.sets.size(); ++s) {
    sink.text("<?mulberry-set name=\"" + xml_text(data.sets.names[s]) + "\"");
    for (const Id l : data.sets.members[s]) {
      sink.text(" label=\"" + xml_text(data.label_names[at(l)]) + "\"");
    }
    sink.text("?>\n");
  }
  const auto rule = [&](const char* kind, std::span<const Id> members) {
    sink.text(std::string("<?mulberry-") + kind);
    for (const Id l : members) sink.text(" label=\"" + xml_text(data.label_names[at(l)]) + "\"");
    sink.text("?>\n");
  };
  for (const auto& [label, implied] : data.rules.implied) {
    rule("implies", std::array{label, implied});
  }
  for (const auto& group : data.rules.exclusive) rule("exclusive", group);
  sink.text("<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n");
  // Open elements by depth: (parent, next child). A loop, because hierarchies may be deep.
  std::vector<std::pair<std::size_t, std::size_t>> open = {{labels, 0}};
  while (!open.empty()) {
    auto& [parent, next] = open.back();
    const std::string indent(2 * open.size(), ' ');
    if (next == children[parent].size()) {
      open.pop_back();
      if (!open.empty()) sink.text(indent.substr(2) + "</label>\n");
      continue;
    }
    const std::size_t l = children[parent][next++];
    sink.text(indent + "<label name=\"" + xml_text(data.label_names[l]) + "\"");
    if (children[l].empty()) {
      sink.text("/>\n");
    } else {
      sink.text(">\n");
      open.emplace_back(l, 0);
    }
  }
  sink.text("</labels>\n");
}

}  // namespace mulberry::data
