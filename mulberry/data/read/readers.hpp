// The reader of each format: one function, one file.
#pragma once

#include "mulberry/data/bytes/text_reader.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/data/read/read_options.hpp"

namespace mulberry::data {

Dataset read_arff(TextReader& text, const ReadOptions& options);
Dataset read_libsvm(TextReader& text, const ReadOptions& options);
Dataset read_xmlrepo(TextReader& text, const ReadOptions& options);
Dataset read_csv(TextReader& text, const ReadOptions& options, char delimiter);  // and TSV
Dataset read_jsonl(TextReader& text, const ReadOptions& options);
Dataset read_npz(ByteSource& bytes, const std::string& path, const ReadOptions& options);

}  // namespace mulberry::data
