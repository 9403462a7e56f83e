#include "mulberry/model/stored_features.hpp"

#include <gtest/gtest.h>

#include "mulberry/model/model_file.hpp"
#include "tests/temporary_folder.hpp"

namespace mulberry {
namespace {

StoredFeatures round_trip(StoredFeatures stored) {
  const TemporaryFolder folder;
  ModelFileWriter sink;
  ArchiveWriter out(sink);
  out("x", stored);
  sink.save(folder.file("m"), "{}");
  const ModelFileReader source(folder.file("m"));
  ArchiveReader in(source);
  StoredFeatures back;
  in("x", back);
  return back;
}

TEST(StoredFeatures, ComeBack) {
  const Matrix dense(2, 3, std::vector<double>{1, 0, 2, 0, 0, 3});
  EXPECT_EQ(round_trip({dense}).x, Features(dense));
  EXPECT_EQ(round_trip({to_sparse(dense)}).x, Features(to_sparse(dense)));
  EXPECT_EQ(round_trip({Matrix(0, 4)}).x.cols(), 4);
}

TEST(StoredFeatures, RefusesWhatIsNoMatrix) {
  const auto csr = [](std::vector<Index> start, std::vector<Id> index) {
    std::vector<double> value(index.size(), 1.0);
    return Csr{static_cast<Index>(start.size()) - 1, 3, std::move(start), std::move(index),
               std::move(value)};
  };
  EXPECT_EQ(round_trip({csr({0, 2}, {0, 2})}).x.rows(), 1);
  EXPECT_THROW(round_trip({csr({0, 2}, {0, 3})}), Error) << "a column too far";
  EXPECT_THROW(round_trip({csr({0, 2}, {-1, 2})}), Error) << "a negative column";
  EXPECT_THROW(round_trip({csr({0, 2}, {2, 0})}), Error) << "not increasing";
  EXPECT_THROW(round_trip({csr({0, 2, 1}, {0, 2})}), Error) << "a row that ends before it starts";
  EXPECT_THROW(round_trip({csr({0, 1}, {0, 2})}), Error) << "values of no row";
}

}  // namespace
}  // namespace mulberry
