// Errors, text, specs, parameters, random streams, parallel loops.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/params.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::core {
namespace {

TEST(Error, SaysWhereWhatAndWhatNext) {
  const Error error(Code::format, "expected a number, found 'x'", "Correct it", {"a.arff", 3, 7});
  EXPECT_STREQ(error.what(), "a.arff:3:7: expected a number, found 'x'. Correct it");
  EXPECT_STREQ(Error(Code::io, "gone").in_file("b").what(), "b: gone");
}

std::string in_brackets(std::string_view name, std::string_view value) {
  return "[" + std::string(name) + "|" + std::string(value) + "]";
}

std::string in_braces(Action action, std::string_view of) {
  return "{" + std::to_string(static_cast<int>(action)) + "|" + std::string(of) + "}";
}

constexpr Spelling k_bracketed = {in_brackets, in_braces};

TEST(Error, MentionsOptionsAsTheFrontEndSpellsThem) {
  const Error error(Code::usage, "expected " + mention("label_list") + ", found none",
                    "Use " + mention("impute", "mean") + " or correct it", {"a.csv"});
  EXPECT_STREQ(error.what(),
               "a.csv: expected label_list, found none. Use impute = mean or correct it");
  EXPECT_EQ(error.text(k_bracketed),
            "a.csv: expected [label_list|], found none. Use [impute|mean] or correct it");
  EXPECT_EQ(error.and_then(" here").with_remedy("Stop").text(k_bracketed),
            "a.csv: expected [label_list|], found none here. Stop");
  EXPECT_EQ(error.remedy(), "Use impute = mean or correct it");
  EXPECT_EQ(spell("a \x1e b", k_bracketed), "a \x1e b") << "a mark without its end is text";
}

TEST(Error, MentionsActionsAsTheFrontEndSpellsThem) {
  const Error error(Code::usage, "there is no learner 'x'",
                    mention(Action::list) + " or " + mention(Action::parameters, "br"));
  EXPECT_EQ(error.remedy(), "list_learners() or describe_learner(\"br\")");
  EXPECT_EQ(error.text(k_bracketed), "there is no learner 'x'. {0|} or {1|br}");
  EXPECT_EQ(spell(mention(Action::convert), k_bracketed), "{4|}") << "the last one";
}

TEST(Text, NumbersAsFilesMayWriteThem) {
  for (const char* good : {"1", "-1", "+1", ".5", "5.", "1e3", "1E-3", "-0"}) {
    EXPECT_TRUE(parse_number(good)) << good;
  }
  for (const char* bad :
       {"", "+", ".", "e5", "1e", "0x10", "nan", "inf", "-inf", "1a", " 1", "1 ", "1e999", "--1"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
  EXPECT_EQ(parse_number("1e-999"), 0.0);
  EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_FALSE(parse_number("1" + std::string(400, '0')));
  EXPECT_EQ(parse_integer("+5"), 5);
  EXPECT_FALSE(parse_integer("5.0"));
  EXPECT_FALSE(parse_integer("99999999999999999999"));
}

TEST(Text, ShortestReadsBackAsTheSameBits) {
  Random random(1, "text");
  for (int k = 0; k < 2000; ++k) {
    const double v = std::ldexp(random.normal(), static_cast<int>(random.below(600)) - 300);
    EXPECT_EQ(parse_number(shortest(v)), v);
  }
}

TEST(Text, NearMisses) {
  const std::vector<std::string> names = {"precision", "recall", "ml_knn"};
  EXPECT_EQ(nearest("precison", names), "precision");
  EXPECT_EQ(nearest("ml_kn", names), "ml_knn");
  EXPECT_FALSE(nearest("hamming", names));
  EXPECT_FALSE(nearest("w", std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(in_quotes("a\nb"), "'a\\x0ab'");
}

TEST(Spec, ReadsBackWhatItWrites) {
  for (const char* text : {"br", "br(base=linear_svm(C=2))", "x(a=1, b=auto, c=[1,2,3])",
                           "x(t=\"a b, (c)\")", "ecc(chains=10, base=cc(base=tree))"}) {
    const Spec spec = parse_spec(text);
    EXPECT_EQ(spec.text(), text);
    EXPECT_EQ(parse_spec(spec.text()), spec);
  }
  EXPECT_EQ(parse_spec(" br ( base = logistic ) ").text(), "br(base=logistic)");
  EXPECT_EQ(parse_spec("br()").text(), "br");
  EXPECT_EQ(parse_spec("br(base=tree())"), parse_spec("br(base=tree)"));
  EXPECT_EQ(parse_spec("ecc(\n  chains=3,\r\n  base=tree\n)\n").text(), "ecc(chains=3, base=tree)");
}

TEST(Spec, MistakesShowTheirPlace) {
  for (const char* text : {"", "(", "br(", "br(base", "br(base=", "br(base=x", "br(a=1,)",
                           "br(a=1 b=2)", "br)", "br(a=1)x", "br(a=1, a=2)", "br(a=\"x)"}) {
    try {
      parse_spec(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::usage);
      EXPECT_NE(std::string(error.what()).find("at character"), std::string::npos) << error.what();
    }
  }
  std::string deep = "x";
  for (int k = 0; k < 100; ++k) deep = "x(a=" + deep + "(b=1))";
  EXPECT_THROW(parse_spec(deep), Error);
}

TEST(Spec, DottedNamesReachInside) {
  Spec spec = parse_spec("br(base=linear_svm(C=2))");
  spec.set("base.C", std::string("3"));
  spec.set("base.bias", std::string("free"));
  spec.set("other", std::string("1"));
  EXPECT_EQ(spec.text(), "br(base=linear_svm(C=3, bias=free), other=1)");
}

enum class Colour { red, green };
struct Inner {
  Index depth = 3;
  static Fields fields() {
    return Fields{field("depth", &Inner::depth, "how deep", between(1, 9))};
  }
};
struct Params {
  double C = 1;
  std::optional<double> width = {};
  Colour colour = Colour::green;
  bool on = true;
  std::vector<double> grid = {1, 10};
  Inner inner;
  static Fields fields() {
    return Fields{field("C", &Params::C, "cost", positive()),
                  field("width", &Params::width, "width", positive()),
                  choice("colour", &Params::colour, "which", {"red", "green"}),
                  field("on", &Params::on, "whether"),
                  field("grid", &Params::grid, "what to try", positive()),
                  group(&Params::inner)};
  }
};

TEST(Params, DefaultsAndGivenValues) {
  const Params given = read_params<Params>(
      parse_spec("p(C=2.5, width=auto, colour=red, on=off, grid=[1,2], depth=4)"));
  EXPECT_EQ(given.C, 2.5);
  EXPECT_FALSE(given.width);
  EXPECT_EQ(given.colour, Colour::red);
  EXPECT_FALSE(given.on);
  EXPECT_EQ(given.grid, (std::vector<double>{1, 2}));
  EXPECT_EQ(given.inner.depth, 4);
  EXPECT_EQ(write_params("p", Params()).text(),
            "p(C=1, width=auto, colour=green, on=true, grid=[1,10], depth=3)");
  EXPECT_EQ(read_params<Params>(parse_spec("p(width=2)")).width, 2.0);
  const auto infos = describe_params<Params>();
  ASSERT_EQ(infos.size(), 6u);
  EXPECT_EQ(infos[5].name, "depth");
  EXPECT_EQ(infos[5].fallback, "3");
}

TEST(Params, MistakesNameTheParameterAndItsRange) {
  const auto message = [](const char* text) {
    try {
      read_params<Params>(parse_spec(text));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message("p(C=0)").find("'C' of p must be a number > 0"), std::string::npos)
      << message("p(C=0)");
  EXPECT_NE(message("p(depth=10)").find("at least 1 and at most 9"), std::string::npos);
  EXPECT_NE(message("p(depth=1.5)").find("whole number"), std::string::npos);
  EXPECT_NE(message("p(colour=blue)").find("one of red, green"), std::string::npos);
  EXPECT_NE(message("p(colour=gren)").find("Did you mean 'green'?"), std::string::npos);
  EXPECT_NE(message("p(C=1e305)").find("> 0 and at most 1e+300, got '1e305'"), std::string::npos)
      << message("p(C=1e305)");
  EXPECT_NE(message("p(on=maybe)").find("true or false"), std::string::npos);
  EXPECT_NE(message("p(grid=[1,x])").find("list"), std::string::npos);
  EXPECT_NE(message("p(depht=2)").find("Did you mean 'depth'?"), std::string::npos);
}

TEST(Random, StreamsDependOnSeedNameAndNumbersOnly) {
  Random a(1, "x", 2, 3), b(1, "x", 2, 3), c(1, "y", 2, 3), d(2, "x", 2, 3), e(1, "x", 3, 2);
  const auto first = a.bits();
  EXPECT_EQ(first, b.bits());
  EXPECT_NE(first, c.bits());
  EXPECT_NE(first, d.bits());
  EXPECT_NE(first, e.bits());
}

TEST(Random, MomentsAreRight) {
  Random random(5, "moments");
  double sum = 0, square = 0, uniform = 0;
  std::vector<int> counts(7, 0);
  constexpr int n = 70000;
  for (int k = 0; k < n; ++k) {
    const double v = random.normal();
    sum += v;
    square += v * v;
    uniform += random.uniform();
    ++counts[at(random.below(7))];
  }
  EXPECT_NEAR(sum / n, 0, 0.02);
  EXPECT_NEAR(square / n, 1, 0.03);
  EXPECT_NEAR(uniform / n, 0.5, 0.005);
  for (const int count : counts) EXPECT_NEAR(count, n / 7, 500);
}

TEST(Parallel, ReductionsGiveTheSameBitsForAnyNumberOfThreads) {
  std::vector<double> values(100003);
  Random random(3, "values");
  for (double& v : values) v = random.normal();
  const auto total = [&](int threads) {
    return parallel_reduce(
        Context(threads), count_of(values), 1000, 0.0,
        [&](Index begin, Index end) {
          return std::accumulate(values.begin() + begin, values.begin() + end, 0.0);
        },
        [](double& sum, double part) { sum += part; });
  };
  const double one = total(1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(total(threads), one);
}

TEST(Parallel, NestedLoopsRunEveryIndexOnce) {
  const Context ctx(4);
  std::vector<std::atomic<int>> seen(50 * 40);
  parallel_for(ctx, 50,
               [&](Index i) { parallel_for(ctx, 40, [&](Index j) { ++seen[at(i * 40 + j)]; }); });
  for (const auto& count : seen) EXPECT_EQ(count.load(), 1);
}

TEST(Parallel, TheFirstErrorComesBack) {
  for (const int threads : {1, 4}) {
    try {
      parallel_for(Context(threads), 100, [](Index i) {
        if (i % 10 == 7) throw Error(Code::data, std::to_string(i));
      });
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
  }
}

TEST(Parallel, StopsBetweenChunks) {
  std::stop_source source;
  const Context ctx = Context(2).with_stop(source.get_token());
  std::atomic<int> runs = 0;
  EXPECT_THROW(parallel_for(ctx, 100000,
                            [&](Index) {
                              if (++runs == 10) source.request_stop();
                            }),
               Cancelled);
  EXPECT_LT(runs.load(), 1000);
}

TEST(Context, PartsOfProgressAddUp) {
  std::vector<double> seen;
  const Context ctx =
      Context().with_progress([&](double fraction, double) { seen.push_back(fraction); });
  ctx.part(0.5, 1).part(0, 0.5).step(1);
  ctx.quiet().step(0.9);
  EXPECT_EQ(seen, std::vector<double>{0.75});
  EXPECT_THROW(Context(0), Error);
}

}  // namespace
}  // namespace mulberry::core
