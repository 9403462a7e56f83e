// Every learner on data at the edge of what data can be: a finite answer or a clear refusal, never
// a crash and never more than a minute. Each case runs in a separate process. `make torture` runs
// all cases and writes docs/trust-extremes.md; a plain run leaves out the two large ones.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "mulberry/core/index.hpp"
#include "tests/contract.hpp"
#include "tests/support/saved.hpp"
#include "tests/support/torture.hpp"

namespace mulberry::tests::contract {
namespace {

constexpr unsigned k_seconds = 60;

// Data and a learner, both changed by an extreme.
struct Case {
  Spec spec;
  Dataset data;
  bool applies = true;
};

// Small data with other features; sparse if they are.
Dataset with_features(Dataset data, Features x) {
  data.feature_names.clear();
  for (Index j = 0; j < x.cols() && x.cols() < 1000; ++j) {
    data.feature_names.push_back("x" + std::to_string(j));
  }
  data.x = std::move(x);
  return data;
}

template <class Fn>
Dataset with_values(const Dataset& data, const Fn& value) {
  Matrix x(data.rows(), data.columns());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) x(i, j) = value(i, j, data.x.at(i, j));
  }
  return with_features(data, std::move(x));
}

Dataset with_labels(Dataset data, Index labels, const std::vector<std::vector<Id>>& positives) {
  data.y = Labels(labels, positives);
  data.label_names.clear();
  for (Index l = 0; l < labels; ++l) data.label_names.push_back("l" + std::to_string(l));
  return data;
}

// Every row has, or lacks, all labels; with exclusive sets, the first (or last) label of each.
Dataset with_one_answer(const Dataset& data, bool positive) {
  std::vector<std::vector<Id>> y(at(data.rows()));
  for (auto& row : y) {
    for (Id l = 0; positive && data.sets.empty() && l < static_cast<Id>(data.labels()); ++l) {
      row.push_back(l);
    }
    for (const auto& set : data.sets.members) row.push_back(positive ? set.front() : set.back());
  }
  return with_labels(data, data.labels(), y);
}

// Labels 0 .. count - 1, a few of them in each row; with exclusive sets, two sets of half of them.
Dataset with_label_count(Dataset data, Index count) {
  const bool sets = !data.sets.empty();
  std::vector<std::vector<Id>> y(at(data.rows()));
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (sets && count > 1) {
      const Index half = count / 2;
      y[i] = {static_cast<Id>(static_cast<Index>(i) % half),
              static_cast<Id>(half + static_cast<Index>(i * 7) % (count - half))};
    } else if (sets || i % 2 == 0) {
      y[i] = {static_cast<Id>(static_cast<Index>(i * 13) % count)};
    }
  }
  if (sets) {
    const Id half = count > 1 ? static_cast<Id>(count / 2) : 1;
    data.sets = {{"first"}, {{}}};
    for (Id l = 0; l < half; ++l) data.sets.members[0].push_back(l);
    if (count > 1) {
      data.sets.names.push_back("second");
      data.sets.members.emplace_back();
      for (Id l = half; l < static_cast<Id>(count); ++l) data.sets.members[1].push_back(l);
    }
  }
  return with_labels(std::move(data), count, y);
}

// The same learner with another C, of its own or of its base; false if there is none.
bool set_cost(Spec& spec, const std::string& value) {
  if (spec.find("C") != nullptr) {
    spec.set("C", value);
    return true;
  }
  for (auto& [name, inner] : spec.params) {
    if (auto* base = std::get_if<Spec>(&inner); base != nullptr && set_cost(*base, value)) {
      return true;
    }
  }
  return false;
}

// Labels among the features: nothing is left to learn after one step.
Dataset with_answers(const Dataset& data) {
  return with_values(data, [&](Index i, Index j, double v) {
    return j < data.labels() ? (data.y.cell(i, j) == Cell::positive ? 1.0 : 0.0) : v;
  });
}

void set_weights(Dataset& data, double some, double others) {
  data.weights.assign(at(data.rows()), others);
  for (std::size_t i = 0; i < data.weights.size(); i += 3) data.weights[i] = some;
}

using Change = void (*)(Case&);

const std::vector<std::pair<std::string, Change>>& extremes() {
  static const std::vector<std::pair<std::string, Change>> all = {
      {"values of 1e-300",
       [](Case& c) {
         c.data = with_values(c.data, [](Index, Index, double v) { return v * 1e-300; });
       }},
      {"values of 1e99",
       [](Case& c) {
         c.data = with_values(c.data, [](Index, Index, double v) { return v * 1e98; });
       }},
      {"values from 1e-300 to 1e99",
       [](Case& c) {
         c.data = with_values(c.data, [](Index, Index j, double v) {
           return v * (j % 3 == 0 ? 1e-300 : j % 3 == 1 ? 1.0 : 1e98);
         });
       }},
      {"all values 0",
       [](Case& c) { c.data = with_values(c.data, [](Index, Index, double) { return 0.0; }); }},
      {"constant features",
       [](Case& c) {
         c.data = with_values(c.data, [](Index, Index j, double) { return 1.5 + double(j); });
       }},
      {"all rows alike but the labels",
       [](Case& c) {
         const Dataset data = c.data;
         c.data = with_values(data, [&](Index, Index j, double) { return data.x.at(0, j); });
       }},
      {"duplicated columns",
       [](Case& c) {
         const Dataset data = c.data;
         c.data = with_values(data, [&](Index i, Index, double) { return data.x.at(i, 0); });
       }},
      {"one feature",
       [](Case& c) {
         const Id first[] = {0};
         c.data = with_features(c.data, take_columns(c.data.x, first));
       }},
      {"one row",
       [](Case& c) {
         const Id first[] = {0};
         c.data = take_rows(c.data, first);
       }},
      {"two rows",
       [](Case& c) {
         const Id first[] = {0, 1};
         c.data = take_rows(c.data, first);
       }},
      {"one label", [](Case& c) { c.data = with_label_count(c.data, 1); }},
      {"5000 labels", [](Case& c) { c.data = with_label_count(c.data, 5000); }},
      {"a million features",
       [](Case& c) {
         constexpr Index k_columns = 1000000;
         std::vector<Index> start = {0};
         std::vector<Id> index;
         std::vector<double> value;
         for (Index i = 0; i < c.data.rows(); ++i) {
           for (Index k = 0; k < 20; ++k) {
             index.push_back(static_cast<Id>(k * 50000 + (i * 977 + k * 131) % 50000));
             value.push_back(1.0 + static_cast<double>((i + k) % 3));
           }
           start.push_back(count_of(index));
         }
         Csr x{c.data.rows(), k_columns, std::move(start), std::move(index), std::move(value)};
         c.data = with_features(c.data, std::move(x));
       }},
      {"all labels positive", [](Case& c) { c.data = with_one_answer(c.data, true); }},
      {"all labels negative", [](Case& c) { c.data = with_one_answer(c.data, false); }},
      {"some weights 0", [](Case& c) { set_weights(c.data, 0, 1); }},
      {"some weights 1e15, others 1e-15",
       [](Case& c) {
         c.data = with_answers(c.data);
         set_weights(c.data, 1e15, 1e-15);
       }},
      {"C = 1e-12", [](Case& c) { c.applies = set_cost(c.spec, "1e-12"); }},
      {"C = 1e12", [](Case& c) { c.applies = set_cost(c.spec, "1e12"); }},
      {"one class of each set",
       [](Case& c) {
         c.applies = !c.data.sets.empty();
         if (c.applies) c.data = with_one_answer(c.data, true);
       }},
  };
  return all;
}

enum class Answer : int { finite, refused, does_not_apply, wrong };

struct Shared {
  Answer answer = Answer::wrong;
  char text[1000] = {};
};

void say(Shared& shared, Answer answer, const std::string& text) {
  shared.answer = answer;
  std::strncpy(shared.text, text.c_str(), sizeof shared.text - 1);
}

void run_case(const std::string& learner, std::size_t extreme, Shared& shared) {
  Case c{.spec = complete_spec(parse_spec(learner)), .data = small_data(learner, 20)};
  extremes()[extreme].second(c);
  if (!c.applies) return say(shared, Answer::does_not_apply, "");
  try {
    TrainedModel model = train(CompleteSpec(c.spec), c.data, {}, Context(1, 7));
    const Prediction prediction = model.predict(c.data, Context(1, 7));
    const auto& scores = prediction.scores.values();
    const bool finite_everywhere =
        std::all_of(scores.begin(), scores.end(), [](double v) { return std::isfinite(v); });
    if (!finite_everywhere) return say(shared, Answer::wrong, "a score is not finite");
    if (model.decide(prediction).rows() != c.data.rows()) {
      return say(shared, Answer::wrong, "not every row is decided");
    }
    if (saved_and_loaded(model).predict(c.data, Context(1, 7)).scores != prediction.scores) {
      return say(shared, Answer::wrong, "the model in a file gives other scores");
    }
    say(shared, Answer::finite, "");
  } catch (const Error& error) {
    const bool clear = !error.problem().empty() && !error.remedy().empty();
    say(shared, clear ? Answer::refused : Answer::wrong, error.what());
  } catch (const std::exception& error) {
    say(shared, Answer::wrong, error.what());
  }
}

// The answer of a case, computed in a separate process.
Shared outcome(const std::string& learner, std::size_t extreme) {
  auto* shared = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  EXPECT_NE(shared, MAP_FAILED);
  *shared = Shared();
  std::cout.flush();
  const pid_t pid = fork();
  if (pid == 0) {
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    // Seconds of the processor: a busy machine is no hang. The alarm is for a process that waits.
    const rlimit time = {k_seconds, k_seconds};
    setrlimit(RLIMIT_CPU, &time);
    alarm(20 * k_seconds);
    run_case(learner, extreme, *shared);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  Shared out = *shared;
  munmap(shared, sizeof(Shared));
  if (WIFSIGNALED(status)) {
    say(out, Answer::wrong,
        WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL
            ? "took more than a minute"
            : strsignal(WTERMSIG(status)));
  }
  return out;
}

// A row of the table of all learners, and the reasons of those who refused.
struct Row {
  std::vector<Answer> answers;
  double slowest = 0;
  std::string slow;
};

class Extremes : public Contract {
 protected:
  static void TearDownTestSuite() {
    const char* const path = std::getenv("MULBERRY_EXTREMES_TABLE");
    if (path != nullptr && rows().size() > 1) write_table(path);
  }
  static std::map<std::string, Row>& rows() {
    static std::map<std::string, Row> all;
    return all;
  }
  static std::map<std::pair<std::size_t, std::string>, std::vector<std::string>>& reasons() {
    static std::map<std::pair<std::size_t, std::string>, std::vector<std::string>> all;
    return all;
  }

 private:
  static void write_table(const char* path) {
    std::ofstream out(path);
    out << "# Extreme data\n\nWhat every learner, alias and base learner answers on 20 rows (where "
           "not said otherwise) of extreme data:\n**+** finite scores, also from the model in a "
           "file; **r** refused with a reason; **-** it has no such parameter, or learns\nno label "
           "sets. Written by the long form of `tests/extremes_test.cpp`, with a minute of the "
           "processor for each case.\n\n";
    for (std::size_t e = 0; e < extremes().size(); ++e) {
      out << e + 1 << ". " << extremes()[e].first << "\n";
    }
    out << "\n| learner |";
    for (std::size_t e = 0; e < extremes().size(); ++e) out << ' ' << e + 1 << " |";
    out << " slowest |\n|---|";
    for (std::size_t e = 0; e < extremes().size(); ++e) out << ":-:|";
    out << "---|\n";
    for (const auto& [learner, row] : rows()) {
      out << "| " << learner << " |";
      for (const Answer answer : row.answers) {
        out << ' '
            << (answer == Answer::finite    ? "+"
                : answer == Answer::refused ? "r"
                : answer == Answer::wrong   ? "**wrong**"
                                            : "-")
            << " |";
      }
      out << ' ' << row.slow << ": " << static_cast<int>(row.slowest * 10) / 10.0 << " s |\n";
    }
    out << "\n## Reasons\n\n";
    for (const auto& [reason, learners] : reasons()) {
      out << "* " << reason.first + 1 << ", " << reason.second << ":";
      for (std::size_t k = 0; k < learners.size(); ++k) out << (k > 0 ? ", " : " ") << learners[k];
      out << "\n";
    }
  }
};

TEST_P(Extremes, AreAnsweredOrRefused) {
  ASSERT_EQ(extremes().size(), 20u);
  Row row;
  for (std::size_t e = 0; e < extremes().size(); ++e) {
    const std::string& name = extremes()[e].first;
    if (!torture() && (name == "5000 labels" || name == "a million features")) continue;
    const auto begin = std::chrono::steady_clock::now();
    const Shared out = outcome(GetParam(), e);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (seconds > row.slowest) {
      row.slowest = seconds;
      row.slow = name;
    }
    row.answers.push_back(out.answer);
    EXPECT_NE(out.answer, Answer::wrong) << GetParam() << ", " << name << ": " << out.text;
    if (out.answer == Answer::refused) reasons()[{e, out.text}].push_back(GetParam());
  }
  if (torture()) rows()[GetParam()] = row;
}

MULBERRY_CONTRACT_OVER_ALL(Extremes);

}  // namespace
}  // namespace mulberry::tests::contract
