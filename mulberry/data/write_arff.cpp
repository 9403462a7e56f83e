// ARFF as Weka, Mulan and MEKA read it: numeric features first, then the labels as {0,1}, rows
// sparse when the features are; and the Mulan XML that names the labels, their hierarchy and
// exclusive sets.
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/writers.hpp"

namespace mulberry {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-.=+/:;#*$&()[]<>!~^|").find(c) != std::string_view::npos;
}

// A name as it is where every reader takes it literally, in quotes with escapes where not.
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
                      "expected label names of printable characters, found " + quoted(text) +
                          ": XML cannot hold it",
                      "Rename the label, or write a .csv or .npz file");
        }
        out += c;
    }
  }
  return out;
}

// Calls entry(attribute number, value) for the stored values of row i and then its labels.
template <class Feature, class Label>
void visit_sparse_row(const Dataset& data, Index i, const Feature& feature, const Label& label) {
  const SparseRow row = data.x.sparse().row(i);
  for (std::size_t k = 0; k < row.index.size(); ++k) {
    if (row.value[k] != 0) feature(row.index[k], row.value[k]);
  }
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

void write_value(double value, ByteSink& sink) {
  if (std::isnan(value)) {
    sink.text("?");
  } else {
    sink.number(value);
  }
}

void write_sparse_row(const Dataset& data, Index i, ByteSink& sink) {
  sink.text("{");
  bool first = true;
  const auto start = [&](Index attribute) {
    if (!first) sink.text(",");
    first = false;
    sink.integer(attribute);
    sink.text(" ");
  };
  visit_sparse_row(
      data, i,
      [&](Id column, double value) {
        start(column);
        write_value(value, sink);
      },
      [&](Id label, std::string_view text) {
        start(data.columns() + label);
        sink.text(text);
      });
  sink.text("}\n");
}

void write_dense_row(const Dataset& data, Index i, ByteSink& sink) {
  bool first = true;
  const auto next = [&] {
    if (!first) sink.text(",");
    first = false;
  };
  for (const double value : data.x.dense().row(i)) {
    next();
    write_value(value, sink);
  }
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
  for (const auto& name : feature_names_to_write(data)) {
    sink.text("@attribute " + arff_name(name) + " numeric\n");
  }
  for (Index l = 0; l < labels_to_write(data); ++l) {
    sink.text("@attribute " + arff_name(data.label_names[static_cast<std::size_t>(l)]) +
              " {0,1}\n");
  }
  sink.text("\n@data\n");
  for (Index i = 0; i < data.rows(); ++i) {
    if (data.x.is_sparse()) {
      write_sparse_row(data, i, sink);
    } else {
      write_dense_row(data, i, sink);
    }
  }
}

void write_label_xml(const Dataset& data, ByteSink& sink) {
  const auto labels = static_cast<std::size_t>(labels_to_write(data));
  std::vector<std::vector<std::size_t>> children(labels + 1);  // the last: of no parent
  for (std::size_t l = 0; l < labels; ++l) {
    const Id parent = data.label_parent.empty() ? -1 : data.label_parent[l];
    children[parent < 0 ? labels : static_cast<std::size_t>(parent)].push_back(l);
  }
  sink.text("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
  for (std::size_t s = 0; s < data.sets.size(); ++s) {
    sink.text("<?mulberry-set name=\"" + xml_text(data.sets.names[s]) + "\"");
    for (const Id l : data.sets.members[s]) {
      sink.text(" label=\"" + xml_text(data.label_names[static_cast<std::size_t>(l)]) + "\"");
    }
    sink.text("?>\n");
  }
  sink.text("<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n");
  // Open elements by depth: (parent, next child). A loop, for hierarchies may be deep.
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

}  // namespace mulberry
