#include "mulberry/model/stored_features.hpp"

#include <gtest/gtest.h>

#include "mulberry/core/index.hpp"
#include "mulberry/model/model_file.hpp"
#include "mulberry/model/stored_nystrom.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::model {
using namespace tests;
namespace {

template <class Stored>
Stored round_trip(Stored stored, Index features = 3) {
  const TemporaryFolder folder;
  ModelFileWriter sink;
  ArchiveWriter out(sink);
  out("x", stored);
  sink.save(folder.file("m"), "{}");
  const ModelFileReader source(folder.file("m"));
  ArchiveReader in(source, {.features = features, .outputs = 0});
  Stored back;
  in("x", back);
  return back;
}

TEST(StoredFeatures, ComeBack) {
  const Matrix dense(2, 3, std::vector<double>{1, 0, 2, 0, 0, 3});
  EXPECT_EQ(round_trip<StoredFeatures>({dense}).x, Features(dense));
  EXPECT_EQ(round_trip<StoredFeatures>({to_sparse(dense)}).x, Features(to_sparse(dense)));
  EXPECT_EQ(round_trip<StoredFeatures>({Matrix(0, 4)}).x.cols(), 4);
  EXPECT_THROW(round_trip<StoredFeatures>({dense}, 4), Error) << "of another number of features";
}

TEST(StoredFeatures, RefusesWhatIsNoMatrix) {
  const auto csr = [](std::vector<Index> start, std::vector<Id> index) {
    std::vector<double> value(index.size(), 1.0);
    return Csr{count_of(start) - 1, 3, std::move(start), std::move(index), std::move(value)};
  };
  EXPECT_EQ(round_trip<StoredFeatures>({csr({0, 2}, {0, 2})}).x.rows(), 1);
  EXPECT_THROW(round_trip<StoredFeatures>({csr({0, 2}, {0, 3})}), Error) << "a column too far";
  EXPECT_THROW(round_trip<StoredFeatures>({csr({0, 2}, {-1, 2})}), Error) << "a negative column";
  EXPECT_THROW(round_trip<StoredFeatures>({csr({0, 2}, {2, 0})}), Error) << "not increasing";
  EXPECT_THROW(round_trip<StoredFeatures>({csr({0, 2, 1}, {0, 2})}), Error)
      << "a row that ends before it starts";
  EXPECT_THROW(round_trip<StoredFeatures>({csr({0, 1}, {0, 2})}), Error) << "values of no row";
}

TEST(StoredNystrom, ComesBack) {
  const Matrix points(4, 2, std::vector<double>{0, 1, 2, 0, 3, 3, 1, 5});
  const Context ctx;
  const StoredNystrom map({.kind = KernelKind::rbf, .gamma = 0.5}, points, 3, ctx);
  const StoredNystrom back = round_trip(map, 2);
  EXPECT_EQ(back.features(points, ctx), map.features(points, ctx));
  StoredNystrom wrong = map;
  wrong.root = Matrix(2, 2);
  EXPECT_THROW(round_trip(wrong, 2), Error);
}

}  // namespace
}  // namespace mulberry::model
