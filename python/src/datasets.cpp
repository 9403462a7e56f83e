// Data sets: made from arrays, read, written, generated, damaged.
#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/generate/hide.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/read/row_blocks.hpp"
#include "mulberry/data/write/write.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "python/src/convert.hpp"
#include "python/src/run.hpp"
#include "python/src/spelling.hpp"

namespace mulberry::python {
namespace {

Dataset dense_data(const DenseArray& x) {
  Dataset out;
  out.x = matrix_of(x);
  out.has_labels = false;
  return out;
}

// Values of any layout, floats or doubles, which stay where they are.
template <class T>
Dataset strided_data(const nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>& x) {
  Dataset out;
  out.x = Features(std::make_shared<const Strided>(
      x.data(), static_cast<Index>(x.shape(0)), static_cast<Index>(x.shape(1)), x.stride(0),
      x.stride(1), std::make_shared<std::decay_t<decltype(x)>>(x)));
  out.has_labels = false;
  return out;
}

template <class Column, class Value>
Dataset sparse_data(Index rows, Index cols, const Vector<Index>& start, const Vector<Column>& index,
                    const Vector<Value>& value) {
  Dataset out;
  out.x = csr_of(rows, cols, start, index, value);
  out.has_labels = false;
  return out;
}

void set_labels(Dataset& data, std::vector<std::string> names, const LabelLists& positive,
                const std::optional<LabelLists>& missing) {
  data.y = labels_of(static_cast<Index>(names.size()), positive, missing);
  data.label_names = std::move(names);
  data.has_labels = true;
}

void set_texts(Dataset& data, const std::string& name, const std::vector<std::string>& rows) {
  if (data.texts.empty() && data.x.cols() == 0) data.x = Matrix(count_of(rows), 0);
  data.texts.push_back({name, Texts(rows)});
}

void set_words(Dataset& data, const std::string& name, const std::vector<std::string>& rows) {
  if (data.x.cols() == 0) data.x = Matrix(count_of(rows), 0);
  data.words.push_back({name, Texts(rows)});
}

nb::dict columns_of(const std::vector<TextColumn>& columns) {
  nb::dict out;
  for (const TextColumn& column : columns) {
    nb::list rows;
    for (Index i = 0; i < column.texts.rows(); ++i) {
      const std::string_view text = column.texts[i];
      rows.append(nb::str(text.data(), text.size()));
    }
    out[column.name.c_str()] = rows;
  }
  return out;
}

nb::object features(const Dataset& data) {
  return data.x.is_sparse() ? nb::object(to_numpy(to_sparse(data.x)))
                            : nb::cast(to_numpy(Matrix(to_dense(data.x))));
}

template <class T>
void take(const nb::dict& given, const char* name, T& out) {
  if (given.contains(name)) out = nb::cast<T>(given[name]);
}

char character(const nb::dict& given, const char* name, char otherwise) {
  std::string text;
  take(given, name, text);
  return text.empty() ? otherwise : text[0];
}

// Whether an option has the second of its two values; the first is the default.
bool is_second(const nb::dict& given, const char* name, const char* first, const char* second) {
  std::string value;
  take(given, name, value);
  if (!value.empty() && value != first && value != second) {
    throw Error(Code::parameter, std::string(name) + " must be one of " + first + ", " + second +
                                     ", got " + in_quotes(value));
  }
  return value == second;
}

ReadOptions options_of(const nb::dict& given) {
  ReadOptions options;
  std::string format;
  take(given, "format", format);
  if (!format.empty()) options.format = format_from_name(format);
  take(given, "label_xml", options.label_xml);
  take(given, "label_count", options.label_count);
  take(given, "label_prefix", options.label_prefix);
  take(given, "label_columns", options.label_columns);
  take(given, "label_pattern", options.label_pattern);
  take(given, "label_list", options.label_list);
  take(given, "label_sets", options.label_sets);
  take(given, "implies", options.rules.implied);
  take(given, "exclusive", options.rules.exclusive);
  take(given, "label_rules", options.rules_file);
  take(given, "add_implied", options.add_implied);
  options.label_paths = character(given, "label_paths", options.label_paths);
  take(given, "weight_column", options.weight_column);
  take(given, "ignore", options.ignore);
  take(given, "text", options.text);
  take(given, "target_words", options.target_columns);
  take(given, "id", options.id_column);
  take(given, "na", options.na_words);
  if (is_second(given, "other_labels", "ignore", "features")) {
    options.other_labels = OtherLabels::features;
  }
  if (is_second(given, "dates", "refuse", "parts")) options.dates = Dates::parts;
  if (is_second(given, "unseen", "zero", "error")) options.unseen = Unseen::error;
  options.decimal = character(given, "decimal", options.decimal);
  options.thousands = character(given, "thousands", options.thousands);
  take(given, "labels_optional", options.labels_optional);
  options.label_separator = character(given, "label_separator", options.label_separator);
  options.delimiter = character(given, "delimiter", options.delimiter);
  bool ordinal = false;
  take(given, "ordinal", ordinal);
  Index index_base = -1;
  take(given, "index_base", index_base);
  if (index_base >= 0) options.index_base = index_base == 0 ? IndexBase::zero : IndexBase::one;
  take(given, "keep_missing", options.keep_missing);
  options.nominal = ordinal ? Nominal::ordinal : Nominal::one_hot;
  return options;
}

Dataset read(const std::string& path, const nb::dict& given) {
  const ReadOptions options = options_of(given);
  const nb::gil_scoped_release release;
  return read_dataset(path, options);
}

// The rows of a file for a model, block by block, in the memory of a block.
class ModelRows {
 public:
  ModelRows(const TrainedModel& model, const std::string& path, const nb::dict& given) {
    ReadOptions options = model.reading(options_of(given));
    options.labels_optional = true;
    BlockLimit limit = RowBlocks::k_block;
    limit.results = count_of(model.label_names);
    const nb::gil_scoped_release release;
    rows_ = std::make_unique<RowBlocks>(path, options, limit);
  }
  std::optional<Dataset> next() {
    const nb::gil_scoped_release release;
    Dataset block;
    if (!rows_->next(block)) return std::nullopt;
    return block;
  }

 private:
  std::unique_ptr<RowBlocks> rows_;
};

void write(const Dataset& data, const std::string& path, const std::string& format) {
  WriteOptions options;
  if (!format.empty()) options.format = format_from_name(format);
  const nb::gil_scoped_release release;
  write_dataset(data, path, options);
}

std::vector<std::string> spelled_notes(const Dataset& data) {
  std::vector<std::string> out;
  for (const std::string& note : data.notes) out.push_back(spell(note, spelled_as_keyword));
  return out;
}

nb::list generators() {
  nb::list out;
  for (const Generator& generator : generator_table()) {
    nb::dict entry;
    entry["id"] = generator.id;
    entry["recipe"] = generator.recipe;
    entry["uses"] = generator.uses;
    out.append(entry);
  }
  return out;
}

Dataset make(const std::string& id, const nb::dict& given, std::uint64_t seed, int threads) {
  const Generator& generator = find_generator(id);
  GenerateOptions options = generator.defaults;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    std::vector<std::string> known(generator.uses.begin(), generator.uses.end());
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error(Code::parameter, id + " has no option " + in_quotes(name),
                  did_you_mean(name, known, "It has " + join(known, ", ")));
    }
  }
  take(given, "rows", options.rows);
  take(given, "features", options.features);
  take(given, "labels", options.labels);
  take(given, "cardinality", options.cardinality);
  take(given, "sparsity", options.sparsity);
  take(given, "noise", options.noise);
  take(given, "prevalence", options.prevalence);
  take(given, "set_sizes", options.set_sizes);
  take(given, "dependence", options.dependence);
  Dataset out;
  run({.threads = threads, .seed = seed, .progress = nb::none()},
      [&](const Context& ctx) { out = generate(id, options, ctx); });
  return out;
}

HideMode hide_mode(const std::string& name) {
  if (name == "negative" || name == "missing" || name == "cells") return hide_mode_of(name);
  throw Error(Code::parameter,
              "mode must be one of negative, missing, cells, got " + in_quotes(name));
}

nb::tuple hide(Index labels, const LabelLists& positive, const std::optional<LabelLists>& missing,
               double share, const std::string& mode, std::uint64_t seed) {
  const Labels y = labels_of(labels, positive, missing);
  return lists_of(hide_labels(y, {.share = share, .mode = hide_mode(mode)}, Context(1, seed)));
}

nb::tuple flip(Index labels, const LabelLists& positive, const std::optional<LabelLists>& missing,
               double share, std::uint64_t seed) {
  return lists_of(flip_labels(labels_of(labels, positive, missing), share, Context(1, seed)));
}

}  // namespace

void bind_datasets(nb::module_& m) {
  nb::class_<Dataset>(m, "Dataset")
      .def("set_labels", &set_labels, nb::arg("names"), nb::arg("positive"),
           nb::arg("missing") = nb::none())
      .def("set_sets",
           [](Dataset& data, std::vector<std::string> names, std::vector<std::vector<Id>> members) {
             data.sets = {.names = std::move(names), .members = std::move(members)};
           })
      .def("add_rules",
           [](Dataset& data, std::vector<std::pair<std::string, std::string>> implied,
              std::vector<std::vector<std::string>> exclusive) {
             add_rules(data.rules, {std::move(implied), std::move(exclusive)}, data.label_names,
                       "the rules between labels");
           })
      .def("take_rows", [](const Dataset& data,
                           const Vector<Id>& rows) { return take_rows(data, span_of(rows)); })
      .def_rw("name", &Dataset::name)
      .def_rw("weights", &Dataset::weights)
      .def_rw("feature_names", &Dataset::feature_names)
      .def_ro("label_names", &Dataset::label_names)
      .def_ro("has_labels", &Dataset::has_labels)
      .def_prop_ro("notes", &spelled_notes)
      .def("set_texts", &set_texts, nb::arg("name"), nb::arg("rows"))
      .def("set_words", &set_words, nb::arg("name"), nb::arg("rows"))
      .def_prop_ro("texts", [](const Dataset& data) { return columns_of(data.texts); })
      .def_prop_ro("words", [](const Dataset& data) { return columns_of(data.words); })
      .def_rw("ids", &Dataset::ids)
      .def_rw("id_name", &Dataset::id_name)
      .def_prop_ro("rows", [](const Dataset& data) { return data.rows(); })
      .def_prop_ro("features", &features)
      .def_prop_ro("labels", [](const Dataset& data) { return lists_of(data.y); })
      .def_prop_ro("set_names", [](const Dataset& data) { return data.sets.names; })
      .def_prop_ro("set_members", [](const Dataset& data) { return data.sets.members; })
      .def_prop_ro("rules", [](const Dataset& data) {
        NamedRules rules = named_rules(data.rules, data.label_names);
        return std::pair(std::move(rules.implied), std::move(rules.exclusive));
      });
  nb::class_<ModelRows>(m, "ModelRows")
      .def(nb::init<const TrainedModel&, const std::string&, const nb::dict&>(), nb::arg("model"),
           nb::arg("path"), nb::arg("options"))
      .def("next", &ModelRows::next);
  m.def("strided_data", &strided_data<double>, nb::arg("x").noconvert());
  m.def("strided_data", &strided_data<float>, nb::arg("x").noconvert());
  m.def("dense_data", &dense_data, nb::arg("x"));
  const auto bind_sparse = [&m](auto make) {
    m.def("sparse_data", make, nb::arg("rows"), nb::arg("cols"), nb::arg("start"),
          nb::arg("index").noconvert(), nb::arg("value").noconvert());
  };
  bind_sparse(&sparse_data<Id, double>);
  bind_sparse(&sparse_data<Id, float>);
  bind_sparse(&sparse_data<Index, double>);
  bind_sparse(&sparse_data<Index, float>);
  m.def("read", &read, nb::arg("path"), nb::arg("options"));
  m.def("write", &write, nb::arg("data"), nb::arg("path"), nb::arg("format") = "");
  m.def("generators", &generators);
  m.def("make", &make, nb::arg("id"), nb::arg("options"), nb::arg("seed") = 0,
        nb::arg("threads") = 1);
  m.def("hide", &hide, nb::arg("labels"), nb::arg("positive"), nb::arg("missing").none(),
        nb::arg("share"), nb::arg("mode"), nb::arg("seed") = 0);
  m.def("flip", &flip, nb::arg("labels"), nb::arg("positive"), nb::arg("missing").none(),
        nb::arg("share"), nb::arg("seed") = 0);
}

}  // namespace mulberry::python
