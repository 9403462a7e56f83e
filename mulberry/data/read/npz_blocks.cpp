// The rows of a .npz file on disk, block by block: features, texts and ids. Labels are not read.
#include <algorithm>
#include <limits>
#include <optional>

#include "mulberry/core/index.hpp"
#include "mulberry/data/bytes/npy.hpp"
#include "mulberry/data/bytes/zip_stream.hpp"
#include "mulberry/data/read/numbered_labels.hpp"
#include "mulberry/data/read/readers.hpp"

namespace mulberry::data {
namespace {

constexpr Index k_largest_id = std::numeric_limits<Id>::max();
constexpr Index k_piece = 64;  // rows that are read at once

// An array of the file, a few of its rows at a time.
class ArrayStream {
 public:
  ArrayStream(const std::shared_ptr<const ZipFile>& file, const std::string& key)
      : stream_(file, key + ".npy"), outline_(read_outline(stream_, key, file->path())) {}

  const NpyArray& outline() const { return outline_; }
  Index rows() const { return outline_.shape().empty() ? 0 : outline_.shape()[0]; }

  // use(array) with the next rows.
  template <class Use>
  auto with(Index rows, const Use& use) {
    buffer_.resize(at(rows * outline_.row_bytes()));
    stream_.read(buffer_.data(), buffer_.size());
    return use(outline_.rows(rows, {buffer_.data(), buffer_.size()}));
  }

 private:
  static NpyArray read_outline(ZipStream& stream, const std::string& key, const std::string& path) {
    std::string header(std::min<std::uint64_t>(12, stream.size()), '\0');
    stream.read(header.data(), header.size());
    const std::size_t begun = header.size();
    header.resize(std::max(begun, NpyArray::header_size(header, key, path)));
    const std::size_t more = header.size() - begun;
    if (more > stream.left()) header.resize(begun);  // cut short: no header
    stream.read(header.data() + begun, header.size() - begun);
    return NpyArray::outline(header, static_cast<Index>(stream.left()), key, path);
  }

  ZipStream stream_;
  NpyArray outline_;
  std::vector<char> buffer_;
};

// What this reader cannot do in blocks is left to the one of whole files, its errors too.
struct NotInBlocks {};

class NpzBlocks : public BlockReader {
 public:
  NpzBlocks(const std::string& path, const ReadOptions& options)
      : file_(std::make_shared<ZipFile>(path)), options_(options) {
    label_names_from_options(options, path);
    for (const std::string& key : options.text) {
      if (!options.remembered || has(key)) add_apart(key);
    }
    if (!options.id_column.empty() && (!options.remembered || has(options.id_column))) {
      add_apart(options.id_column);
      has_ids_ = true;
    }
    open_features();
    if (has("feature_names")) feature_names_ = texts_of("feature_names");
    if (has("name")) {
      const auto names = texts_of("name");
      if (names.size() == 1) name_ = names[0];
    }
    if (!feature_names_.empty() && count_of(feature_names_) != cols_) throw NotInBlocks();
  }

  bool read(const BlockLimit& limit) override {
    while (given_ + held_ < rows_) {
      const Index count = std::min({k_piece, rows_ - given_ - held_, limit.rows - held_});
      held_ += count;
      if (start_stream_) {
        start_stream_->with(count, [&](const NpyArray& array) { add_starts(array); });
      }
      const Index cells = start_stream_ ? starts_.back() - starts_.front() : held_ * cols_;
      if (limit.is_full(held_, cells + held_ * apart_cells_)) return given_ + held_ < rows_;
    }
    return false;
  }

  Index skip(Index rows) override {
    rows = std::min(rows, rows_ - given_);
    for (Index done = 0; done < rows;) {
      BlockLimit piece{.cells = Index{1} << 21};
      piece.rows = rows - done;
      read(piece);
      done += held_;
      pass_over();
    }
    return rows;
  }

  Dataset cut(bool) override {
    Dataset data;
    data.name = name_;
    data.has_labels = false;
    data.feature_names = feature_names_;
    for (std::size_t k = 0; k < apart_.size(); ++k) {
      auto texts = apart_[k].with(held_, [](const NpyArray& array) { return array.texts(); });
      const std::string& key = apart_[k].outline().name();
      if (has_ids_ && k + 1 == apart_.size()) {
        data.id_name = key;
        data.ids = std::move(texts);
      } else {
        data.texts.push_back({key, Texts(texts)});
      }
    }
    data.x = take_features();
    data.attributes = cols_;
    given_ += held_;
    held_ = 0;
    require_finite(data.x, {}, options_.keep_missing);
    return data;
  }

 private:
  bool has(const std::string& key) const { return file_->contains(key + ".npy"); }

  ArrayStream& open(const std::string& key, std::optional<ArrayStream>& out,
                    std::size_t dimensions) {
    if (!has(key)) throw NotInBlocks();
    out.emplace(file_, key);
    if (out->outline().shape().size() != dimensions || out->outline().by_columns()) {
      throw NotInBlocks();
    }
    return *out;
  }

  std::vector<std::string> texts_of(const std::string& key) const {
    ZipStream stream(file_, key + ".npy");
    std::string bytes(stream.size(), '\0');
    stream.read(bytes.data(), bytes.size());
    return NpyArray::parse(bytes, key, file_->path()).texts();
  }

  void add_apart(const std::string& key) {
    if (!has(key)) throw NotInBlocks();
    apart_.emplace_back(file_, key);
    if (apart_.back().outline().shape().size() != 1) throw NotInBlocks();
    apart_cells_ += apart_.back().outline().row_bytes() / 4;
    set_rows(apart_.back().rows());
  }

  void set_rows(Index rows) {
    if (rows_ >= 0 && rows != rows_) throw NotInBlocks();
    rows_ = rows;
  }

  void open_features() {
    const bool parts = has("X_data") || has("X_indptr") || has("X_indices");
    const bool scipy = !has("X") && !parts && has("data") && has("indptr");
    if (!parts && !scipy && !has("X") && !apart_.empty()) return;  // texts are enough
    if (!parts && !scipy) {
      const auto& shape = open("X", values_, 2).outline().shape();
      set_rows(shape[0]);
      cols_ = shape[1];
      if (cols_ > k_largest_id) throw NotInBlocks();
      return;
    }
    const std::string prefix = scipy ? "" : "X_";
    if (has(prefix + "format") && texts_of(prefix + "format") != std::vector<std::string>{"csr"}) {
      throw NotInBlocks();
    }
    std::optional<ArrayStream> shape;
    const auto sizes =
        open(prefix + "shape", shape, 1).with(shape->rows(), [](const NpyArray& all) {
          return all.integers(0, std::numeric_limits<Index>::max());
        });
    if (sizes.size() != 2 || sizes[1] > k_largest_id) throw NotInBlocks();
    set_rows(sizes[0]);
    cols_ = sizes[1];
    stored_ = open(prefix + "data", values_, 1).rows();
    if (open(prefix + "indices", index_stream_, 1).rows() != stored_) throw NotInBlocks();
    if (open(prefix + "indptr", start_stream_, 1).rows() != rows_ + 1) throw NotInBlocks();
    require_plausible_features(cols_, rows_ + stored_, {file_->path()});
    start_stream_->with(1, [&](const NpyArray& first) { starts_ = first.integers(0, 0); });
  }

  void add_starts(const NpyArray& array) {
    for (const Index start : array.integers(0, stored_)) {
      if (start < starts_.back()) fail(array);
      starts_.push_back(start);
    }
    if (given_ + held_ == rows_ && starts_.back() != stored_) fail(array);
  }

  [[noreturn]] void fail(const NpyArray& array) const {
    array.fail("rising offsets from 0 to " + std::to_string(stored_) + ", one more than rows",
               "others", "Save the parts of one matrix");
  }

  Features take_features() {
    if (!values_) return Matrix(held_, 0);
    const auto numbers = [](const NpyArray& array) { return array.numbers(); };
    if (!start_stream_) return Matrix(held_, cols_, values_->with(held_, numbers));
    const Index count = starts_.back() - starts_.front();
    std::vector<double> value = values_->with(count, numbers);
    std::vector<Id> index = index_stream_->with(count, [&](const NpyArray& array) {
      const auto wide = array.integers(0, std::max<Index>(cols_ - 1, 0));
      return std::vector<Id>(wide.begin(), wide.end());
    });
    std::vector<Index> start = starts_;
    for (Index& offset : start) offset -= starts_.front();
    starts_ = {starts_.back()};
    tidy_sparse_rows(start, index, value, "X", file_->path());
    return Csr{held_, cols_, std::move(start), std::move(index), std::move(value)};
  }

  // The rows that were read are not wanted.
  void pass_over() {
    const auto ignore = [](const NpyArray&) {};
    for (ArrayStream& array : apart_) array.with(held_, ignore);
    if (start_stream_) {
      const Index count = starts_.back() - starts_.front();
      values_->with(count, ignore);
      index_stream_->with(count, ignore);
      starts_ = {starts_.back()};
    } else if (values_) {
      values_->with(held_, ignore);
    }
    given_ += held_;
    held_ = 0;
  }

  std::shared_ptr<const ZipFile> file_;
  const ReadOptions& options_;
  std::string name_;
  std::vector<std::string> feature_names_;
  std::vector<ArrayStream> apart_;  // texts, and ids at the end
  bool has_ids_ = false;
  Index apart_cells_ = 0;  // characters of a row
  std::optional<ArrayStream> values_, index_stream_, start_stream_;
  Index rows_ = -1, cols_ = 0, stored_ = 0;
  Index given_ = 0, held_ = 0;  // rows of blocks before, and of this one
  std::vector<Index> starts_;   // of the rows of this block, and the end of the last
};

}  // namespace

std::unique_ptr<BlockReader> npz_reader(const std::string& path, const ReadOptions& options) {
  try {
    return std::make_unique<NpzBlocks>(path, options);
  } catch (const NotInBlocks&) {
    return nullptr;
  } catch (const Error&) {  // the reader of whole files says it, or can do it
    return nullptr;
  }
}

}  // namespace mulberry::data
