#include "mulberry/data/read/row_blocks.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/read/read.hpp"

namespace mulberry::data {
namespace {

Dataset rows_of(const Dataset& data, Index begin, Index end) {
  std::vector<Id> rows(at(std::max<Index>(0, end - begin)));
  std::iota(rows.begin(), rows.end(), static_cast<Id>(begin));
  return take_rows(data, rows);
}

}  // namespace

Error with_rows_after(const Error& error, Index rows) {
  if (rows == 0 || error.problem().find(" in row ") == std::string::npos) return error;
  return error.and_then(", counted from row " + std::to_string(rows + 1) + " of the file");
}

RowBlocks::RowBlocks(std::string path, ReadOptions options, BlockLimit limit)
    : path_(std::move(path)),
      options_(std::move(options)),
      limit_(limit),
      end_(std::numeric_limits<Index>::max()) {
  open();
}

void RowBlocks::open() {
  auto opened = open_reader(path_, options_);
  text_ = std::move(opened.text);
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(path_, unknown);
  if (!unknown) bytes_ = static_cast<double>(bytes);
  reader_ = std::move(opened.reader);
  if (!reader_) whole_ = read_dataset(std::move(opened.bytes), path_, options_);
}

double RowBlocks::share() const {
  if (!text_ || bytes_ == 0) return 0;
  return std::min(1.0, static_cast<double>(text_->taken()) / bytes_);
}

void RowBlocks::only(Index begin, Index end) {
  if (reader_) next_ = reader_->skip(begin);
  if (!reader_) next_ = std::min(begin, whole_.rows());
  end_ = end;
}

Index RowBlocks::count() {
  return reader_ ? reader_->skip(std::numeric_limits<Index>::max()) : whole_.rows();
}

bool RowBlocks::next(Dataset& block) {
  if (done_) return false;
  first_ = next_;
  if (!reader_) {
    done_ = true;
    const Index end = std::min(end_, whole_.rows());
    block = next_ == 0 && end == whole_.rows() ? std::move(whole_) : rows_of(whole_, next_, end);
    return true;
  }
  BlockLimit limit = limit_;
  limit.rows = std::max<Index>(0, end_ - next_);
  try {
    const bool more = limit.rows > 0 && reader_->read(limit);
    block = reader_->cut(!more && limit.rows > 0);
    done_ = !more;
  } catch (const Error& error) {
    throw with_rows_after(error, first_).in_file(path_);
  }
  tidy_dataset(block, path_, options_);
  next_ += block.rows();
  if (next_ >= end_) done_ = true;
  return true;
}

}  // namespace mulberry::data
