// Measures the arrays of a file and prints JSON: {"seconds": ..., "measures": {name: value or
// null}, "undefined": {name: count}}. For scripts that compare with other libraries.
//   measures_tool FILE [--convention C] [--ties T] [--undefined U] [--k K] [--beta B]
//                 [--threads N] [--measures a,b,c]
// FILE, native byte order: int64 rows, int64 labels, int64 whether scores are probabilities; then
// row-major int8 truth (-1 missing), int8 decisions, double scores.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/measures/measures.hpp"

namespace {

using namespace mulberry::tests;

template <class T>
std::vector<T> read(std::ifstream& in, Index count) {
  std::vector<T> out(static_cast<std::size_t>(count));
  in.read(reinterpret_cast<char*>(out.data()),
          static_cast<std::streamsize>(out.size() * sizeof(T)));
  if (!in) throw Error(Code::io, "expected a complete file, found its end");
  return out;
}

Labels labels_of(const std::vector<std::int8_t>& cells, Index rows, Index labels) {
  std::vector<Index> start = {0}, missing_start = {0};
  std::vector<Id> index, missing;
  for (Index i = 0; i < rows; ++i) {
    for (Index l = 0; l < labels; ++l) {
      const auto cell = cells[static_cast<std::size_t>(i * labels + l)];
      if (cell == 1) index.push_back(static_cast<Id>(l));
      if (cell == -1) missing.push_back(static_cast<Id>(l));
    }
    start.push_back(static_cast<Index>(index.size()));
    missing_start.push_back(static_cast<Index>(missing.size()));
  }
  return Labels::from_csr(labels, start, index, missing_start, missing);
}

int run(const std::string& path, const std::map<std::string, std::string>& flags) {
  std::ifstream in(path, std::ios::binary);
  const auto shape = read<std::int64_t>(in, 3);
  const Index rows = shape[0], labels = shape[1];
  const Labels truth = labels_of(read<std::int8_t>(in, rows * labels), rows, labels);
  const Labels decided = labels_of(read<std::int8_t>(in, rows * labels), rows, labels);
  const Matrix scores(rows, labels, read<double>(in, rows * labels));

  MeasureOptions options;
  int threads = 1;
  std::vector<std::string> names;
  for (const auto& [flag, value] : flags) {
    if (flag == "--convention") options.convention = convention_of(value);
    if (flag == "--ties") options.ties = ties_of(value);
    if (flag == "--undefined") options.undefined = undefined_of(value);
    if (flag == "--k") options.k = std::stoll(value);
    if (flag == "--beta") options.beta = std::stod(value);
    if (flag == "--threads") threads = std::stoi(value);
    if (flag == "--measures") names = split(value, ',');
  }
  const Outcome outcome = {.scores = &scores, .decided = &decided, .probabilities = shape[2] != 0};
  const Context ctx(threads);
  const auto begin = std::chrono::steady_clock::now();
  const auto values = names.empty() ? measure_all(truth, outcome, options, ctx)
                                    : measure_some(names, truth, outcome, options, ctx);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;

  nlohmann::ordered_json out = {{"seconds", spent.count()}};
  for (const MeasureValue& value : values) {
    out["measures"][value.name] = value.value;  // NaN prints as null
    out["undefined"][value.name] = value.undefined;
  }
  std::cout << out.dump() << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> flags;
  for (int a = 2; a + 1 < argc; a += 2) flags[argv[a]] = argv[a + 1];
  if (argc < 2 || argc % 2 != 0) {
    std::cerr << "usage: measures_tool FILE [--flag value] ...\n";
    return 2;
  }
  try {
    return run(argv[1], flags);
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
