// Data files that grow in one direction: more rows, more columns, longer lines, more labels. The
// time to read them should grow no faster than their bytes; growth_test.cpp checks that in short,
// and bench/growth_bench.cpp measures the exponents.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mulberry/data/read/label_xml.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/write/write.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::tests {

struct GrowingFile {
  std::string format, axis;
  Index size;  // a good start for measuring: some milliseconds
  // The content for a size.
  std::function<std::string(Index size)> make;
  data::ReadOptions options = {};
  bool labels_only = false;  // a label file, not data

  void read(const std::string& content) const {
    if (labels_only) {
      data::parse_label_xml(content, "grown");
    } else {
      data::read_dataset(data::open_bytes(content, "grown"), "grown", options);
    }
  }
};

namespace growing {

inline std::string repeated(Index count, const std::function<std::string(Index)>& item,
                            const std::string& separator) {
  std::string out;
  for (Index k = 0; k < count; ++k) {
    if (k > 0) out += separator;
    out += item(k);
  }
  return out;
}

inline std::string number(Index k) { return std::to_string(k % 97) + "." + std::to_string(k % 13); }

// A table of numbers, the last `labels` columns of 0 and 1.
inline std::string csv(Index rows, Index columns, Index labels, char delimiter) {
  const std::string separator(1, delimiter);
  std::string out =
      repeated(
          columns + labels, [&](Index j) { return (j < columns ? "f" : "l") + std::to_string(j); },
          separator) +
      "\n";
  for (Index i = 0; i < rows; ++i) {
    out += repeated(
               columns + labels,
               [&](Index j) { return j < columns ? number(i + j) : std::to_string((i + j) % 2); },
               separator) +
           "\n";
  }
  return out;
}

inline std::string arff(Index rows, Index columns, Index labels, bool sparse) {
  std::string out = "@relation 'grown: -C -" + std::to_string(labels) + "'\n";
  for (Index j = 0; j < columns; ++j) out += "@attribute f" + std::to_string(j) + " numeric\n";
  for (Index l = 0; l < labels; ++l) out += "@attribute l" + std::to_string(l) + " {0,1}\n";
  out += "@data\n";
  for (Index i = 0; i < rows; ++i) {
    if (sparse) {
      out +=
          "{" +
          repeated(columns, [&](Index j) { return std::to_string(j) + " " + number(i + j); }, ",");
      for (Index l = i % 2; l < labels; l += 2) out += "," + std::to_string(columns + l) + " 1";
      out += "}\n";
    } else {
      out += repeated(
                 columns + labels,
                 [&](Index j) { return j < columns ? number(i + j) : std::to_string((i + j) % 2); },
                 ",") +
             "\n";
    }
  }
  return out;
}

inline std::string libsvm(Index rows, Index columns, Index labels, const std::string& header) {
  std::string out = header;
  for (Index i = 0; i < rows; ++i) {
    out += repeated((labels + 1) / 2, [&](Index l) { return std::to_string(2 * l + i % 2); }, ",");
    for (Index j = 0; j < columns; ++j) out += " " + std::to_string(j) + ":" + number(i + j);
    out += "\n";
  }
  return out;
}

inline std::string xmlrepo(Index rows, Index columns, Index labels) {
  return libsvm(rows, columns, labels,
                std::to_string(rows) + " " + std::to_string(columns) + " " +
                    std::to_string(labels + 1) + "\n");
}

// Objects with so many keys.
inline std::string jsonl(Index rows, Index columns, Index labels) {
  return repeated(
      rows,
      [&](Index i) {
        return "{" +
               repeated(
                   columns + labels,
                   [&](Index j) {
                     const bool feature = j < columns;
                     return (feature ? "\"f" : "\"l") + std::to_string(j) +
                            "\": " + (feature ? number(i + j) : std::to_string((i + j) % 2));
                   },
                   ", ") +
               "}";
      },
      "\n");
}

inline std::string label_xml(Index labels, const std::string& between) {
  return "<labels>" +
         repeated(
             labels, [](Index l) { return "<label name=\"l" + std::to_string(l) + "\"/>"; },
             between) +
         "</labels>";
}

inline std::string npz(Index rows, Index columns, Index labels) {
  Matrix x(rows, columns);
  std::vector<std::vector<Id>> positives(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) x(i, j) = static_cast<double>((i + j) % 97);
    for (Index l = i % 2; l < labels; l += 2) {
      positives[static_cast<std::size_t>(i)].push_back(static_cast<Id>(l));
    }
  }
  data::Dataset made{.x = data::Features(std::move(x)), .y = data::Labels(labels, positives)};
  for (Index j = 0; j < columns; ++j) made.feature_names.push_back("f" + std::to_string(j));
  for (Index l = 0; l < labels; ++l) made.label_names.push_back("l" + std::to_string(l));
  const TemporaryFolder folder;
  data::write_dataset(made, folder.file("grown.npz"), {.format = data::Format::npz});
  return folder.content("grown.npz");
}

}  // namespace growing

inline std::vector<GrowingFile> growing_files() {
  using namespace growing;
  data::ReadOptions last_labels, zero_based;
  last_labels.label_prefix = "l";
  zero_based.index_base = data::IndexBase::zero;
  zero_based.format = data::Format::libsvm;  // the start of a file may be nothing but labels
  std::vector<GrowingFile> out;
  for (const char delimiter : {',', '\t'}) {
    const std::string name = delimiter == ',' ? "csv" : "tsv";
    out.push_back(
        {name, "rows", 4000, [=](Index n) { return csv(n, 20, 4, delimiter); }, last_labels});
    out.push_back(
        {name, "columns", 25000, [=](Index n) { return csv(3, n, 4, delimiter); }, last_labels});
    out.push_back(
        {name, "labels", 25000, [=](Index n) { return csv(3, 4, n, delimiter); }, last_labels});
  }
  // Lines that become longer while the cells stay few: long words, and a header in quotes that
  // continues on another line after very many cells.
  out.push_back({"csv", "line length", 1 << 20,
                 [](Index n) {
                   return "f,l\n" + std::string(static_cast<std::size_t>(n), 'a') + ",1\n" +
                          std::string(static_cast<std::size_t>(n), 'b') + ",0\n";
                 },
                 last_labels});
  out.push_back({"csv", "quoted line ends", 25000,
                 [](Index n) {
                   return repeated(
                              n, [](Index j) { return "f" + std::to_string(j); }, ",") +
                          ",\"l\nl\"\n" + repeated(n, number, ",") + ",1\n";
                 },
                 last_labels});
  out.push_back(
      {"csv", "words", 4000,
       [](Index n) {
         return "f,l\n" +
                repeated(3 * n, [n](Index i) { return "w" + std::to_string(i % n) + ",1"; }, "\n");
       },
       last_labels});
  out.push_back({"csv", "columns of words", 25000,
                 [](Index n) {
                   return csv(0, n, 1, ',') +
                          repeated(
                              n, [](Index j) { return "w" + std::to_string(j % 9); }, ",") +
                          ",1\n" + repeated(n, [](Index) { return "v"; }, ",") + ",0\n";
                 },
                 last_labels});
  for (const bool sparse : {false, true}) {
    const std::string name = sparse ? "sparse arff" : "arff";
    out.push_back({name, "rows", 4000, [=](Index n) { return arff(n, 20, 4, sparse); }});
    out.push_back({name, "columns", 25000, [=](Index n) { return arff(3, n, 4, sparse); }});
    out.push_back({name, "labels", 25000, [=](Index n) { return arff(3, 4, n, sparse); }});
  }
  out.push_back({"arff", "line length", 1 << 20, [](Index n) {
                   return "@relation 'grown: -C -1'\n@attribute '" +
                          std::string(static_cast<std::size_t>(n), 'a') +
                          "' numeric\n@attribute l {0,1}\n@data\n1,1\n%" +
                          std::string(static_cast<std::size_t>(n), ' ') + "\n2,0\n";
                 }});
  out.push_back(
      {"arff", "values of a nominal", 25000, [](Index n) {
         return "@relation 'grown: -C -1'\n@attribute f {" +
                repeated(
                    n, [](Index v) { return "w" + std::to_string(v); }, ",") +
                "}\n@attribute l {0,1}\n@data\n" +
                repeated(n, [](Index v) { return "w" + std::to_string(v) + ",1"; }, "\n") + "\n";
       }});
  out.push_back({"libsvm", "rows", 4000, [](Index n) { return libsvm(n, 20, 4, ""); }, zero_based});
  out.push_back(
      {"libsvm", "columns", 50000, [](Index n) { return libsvm(3, n, 4, ""); }, zero_based});
  out.push_back(
      {"libsvm", "labels", 50000, [](Index n) { return libsvm(3, 4, n, ""); }, zero_based});
  out.push_back({"libsvm", "line length", 1 << 20,
                 [](Index n) {
                   return "0 1:1 #" + std::string(static_cast<std::size_t>(n), 'a') + "\n1 1:2" +
                          std::string(static_cast<std::size_t>(n), ' ') + "\n";
                 },
                 zero_based});
  out.push_back({"xmlrepo", "rows", 4000, [](Index n) { return xmlrepo(n, 20, 4); }});
  out.push_back({"xmlrepo", "columns", 50000, [](Index n) { return xmlrepo(3, n, 4); }});
  out.push_back({"xmlrepo", "labels", 50000, [](Index n) { return xmlrepo(3, 4, n); }});
  data::ReadOptions listed;
  listed.label_list = "labels";
  out.push_back({"jsonl", "rows", 4000, [](Index n) { return jsonl(n, 20, 4); }, last_labels});
  out.push_back({"jsonl", "columns", 25000, [](Index n) { return jsonl(3, n, 4); }, last_labels});
  out.push_back({"jsonl", "labels", 25000, [](Index n) { return jsonl(3, 4, n); }, last_labels});
  out.push_back({"jsonl", "listed labels", 25000,
                 [](Index n) {
                   return "{\"f\": 1, \"labels\": [" +
                          repeated(
                              n, [](Index l) { return "\"l" + std::to_string(l) + "\""; }, ",") +
                          "]}\n{\"f\": 2, \"labels\": []}\n";
                 },
                 listed});
  out.push_back({"jsonl", "line length", 1 << 20,
                 [](Index n) {
                   return "{\"f\": \"" + std::string(static_cast<std::size_t>(n), 'a') +
                          "\", \"l\": 1}\n{\"f\": \"b\", \"l\": 0}\n";
                 },
                 last_labels});
  for (const char* between : {"", "\n"}) {
    out.push_back({"label xml",
                   *between == 0 ? "labels on a line" : "labels",
                   200000,
                   [=](Index n) { return label_xml(n, between); },
                   {},
                   true});
  }
  out.push_back({"npz", "rows", 20000, [](Index n) { return npz(n, 20, 4); }});
  out.push_back({"npz", "columns", 25000, [](Index n) { return npz(3, n, 4); }});
  out.push_back({"npz", "labels", 25000, [](Index n) { return npz(3, 4, n); }});
  return out;
}

}  // namespace mulberry::tests
