// mulberry review: a page on which a person answers whether rows have doubtful labels.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/verbs.hpp"
#include "cli/verbs/review_server.hpp"
#include "cli/verbs/review_session.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/byte_sink.hpp"
#include "mulberry/evaluate/reasons.hpp"
#include "mulberry/http/gate.hpp"
#include "mulberry/http/server.hpp"
#include "mulberry/report/page/review_page.hpp"

namespace mulberry::cli {
namespace {

// "notes.csv.gz" gives "notes" + middle + ".csv".
std::string with_middle(const std::string& path, const std::string& middle,
                        const std::string& ending) {
  std::filesystem::path out = without_compression(path);
  const std::string last = ending.empty() ? out.extension().string() : ending;
  return out.replace_extension().string() + middle + last;
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+=./,:@%") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The command that applies the answers: it reads the data as we do.
std::string apply_command(const Args& args, const std::string& changes) {
  const std::string& path = args.words()[0];
  std::string out = "mulberry convert " + shell_word(path);
  const std::vector<Option> reading = data_options();
  for (const auto& [name, value] : args.given()) {
    const bool known = std::any_of(reading.begin(), reading.end(),
                                   [&](const Option& option) { return option.name == name; });
    if (known) out += " --" + name + " " + shell_word(value);
  }
  return out + " --apply " + shell_word(changes) + " -o " +
         shell_word(with_middle(path, "-corrected", "")) + " --log " +
         shell_word(with_middle(path, "-log", ".csv"));
}

// How many rows are judged. A person answers some hundred questions: to find them, very large data
// need not be judged as a whole, which would take many minutes and a dense matrix of scores.
Index rows_to_judge(const Args& args, const Dataset& data) {
  constexpr Index k_cells = 10'000'000, k_least = 2000;
  if (args.text("rows") == "all") return data.rows();
  const Index enough = std::max(k_least, k_cells / std::max<Index>(1, data.labels()));
  return std::min(data.rows(), args.integer("rows", enough, 2, std::numeric_limits<Id>::max()));
}

std::vector<Suspect> find_suspects(const Args& args, const CompleteSpec& spec, const Dataset& data,
                                   std::span<const Id> judged, SuspectKind kind,
                                   const Context& ctx) {
  const Index folds = args.integer("folds", 5, 2, 1000000);
  const bool some = count_of(judged) < data.rows();
  const Dataset part = some ? take_rows(data, judged) : data;
  const Matrix scores = with_file(args.words()[0], [&] {
    return out_of_fold_scores(spec, part, preprocess_from(args), folds, ctx);
  });
  const Scale scale = spec.tags().probabilities ? Scale::probability : Scale::margin;
  auto found = rank_suspects(part.y, scores, label_chances(part.y, scores, scale, ctx), kind,
                             args.integer("top", 200, 1, 1000000));
  if (some) {
    for (Suspect& suspect : found) suspect.row = judged[at(suspect.row)];
  }
  return row_after_row(found);
}

// The rows to judge, drawn by the seed if they are not all.
std::vector<Id> judged_rows(Index count, Index rows, const Context& ctx) {
  std::vector<Id> out(at(rows));
  std::iota(out.begin(), out.end(), 0);
  if (count == rows) return out;
  Random rng = ctx.rng("rows to judge");
  rng.shuffle(std::span(out));
  out.resize(at(count));
  std::ranges::sort(out);
  return out;
}

void say_how_it_ended(const ReviewCounts& counts, const std::string& path,
                      const std::string& apply) {
  const Index answered = counts.yes + counts.no;
  if (answered + counts.skipped == 0) return print("\nno answers\n");
  print(
      fmt::format("\n{} answers and {} skipped questions in {}; {} labels change\n"
                  "The same command goes on. To apply the answers:\n  {}\n",
                  answered, counts.skipped, path, counts.changed, apply));
}

int run_review(const Args& args) {
  const std::string& path = args.words()[0];
  const CompleteSpec spec(parse_spec(args.text("learner", "br_logistic")));
  const SuspectKind kind = args.flag("suspicious") ? SuspectKind::suspicious : SuspectKind::missing;
  const bool served = !args.has("static");
  if (!served && args.has("port")) {
    throw Error(Code::usage, "--static needs no server, and --port is about one",
                "Give one of the two");
  }
  const std::string changes = args.text("changes", with_middle(path, ".changes", ".csv"));
  const Dataset data = read_data(path, training_options(args, {&spec, 1}), args);
  std::optional<RowNames> rows;
  with_file(path, [&] { rows.emplace(data); });
  if (!args.flag("quiet")) note_before_training(spec, data, preprocess_from(args));

  // The port and the file of answers are checked before the work.
  std::optional<ReviewServer> pages;
  std::optional<http::Server> server;
  std::optional<AnswerFile> file;
  if (served) {
    const auto port = static_cast<std::uint16_t>(args.integer("port", 0, 0, 65535));
    server.emplace(http::ServerOptions{.port = port, .token = http::random_token()},
                   [&](const http::Request& request) { return pages->respond(request); });
    require_output(changes, {&path, 1});
    file.emplace(changes, rows->key());
    if (file->repaired() && !args.flag("quiet")) {
      note(changes + ": the last line was cut, and has been removed");
    }
    match_changes({.key = rows->key(), .entries = file->entries(), .path = changes}, data);
  }

  const Index count = rows_to_judge(args, data);
  if (count < data.rows() && !args.has("rows") && !args.flag("quiet")) {
    note(fmt::format(
        "{} of {} rows, drawn by chance, are judged, because {} labels of all rows would "
        "take long; --seed 1 draws others, --rows all judges every row",
        count, data.rows(), data.labels()));
  }
  Run run(args, "looking");
  std::vector<Suspect> questions = find_suspects(
      args, spec, data, judged_rows(count, data.rows(), run.context()), kind, run.context());
  std::optional<ReviewSession> session;
  if (served) {
    session.emplace(data, *rows, questions, *file);
    questions = session->questions();
  }
  const Reasons reasons(data, preprocess_from(args), rows_of(questions), run.context());
  run.done();
  const ReviewAbout about{
      .data = std::filesystem::path(path).filename(),
      .file = served ? changes : std::filesystem::path(changes).filename().string(),
      .apply = apply_command(args,
                             served ? changes : std::filesystem::path(changes).filename().string()),
      .kind = kind,
      .key = rows->key()};
  if (!served) {
    write_whole_file(args.text("static"),
                     page_html(static_review(about, data, *rows, questions, reasons)));
    if (!args.flag("quiet")) {
      print(fmt::format("{} questions in {}; its answers are downloaded as {}\n", questions.size(),
                        args.text("static"), about.file));
    }
    return 0;
  }

  constexpr std::size_t k_letters = 50'000;
  pages.emplace(page_html(served_review(about)), *session, [&](Index k) {
    const Suspect& one = questions[at(k)];
    return question_json(data, *rows, k, one, reasons.of(one.row, one.label), k_letters);
  });
  const ReviewCounts before = session->counts();
  const Index seen = before.yes + before.no + before.skipped;
  print(fmt::format(
      "{} questions about {}{}\n\nOpen this address in a browser on this machine:\n\n  {}\n\n"
      "Answers go to {}, each before the next question. Ctrl-C ends.\n",
      questions.size(), path, seen > 0 ? fmt::format(", {} of them answered", seen) : "",
      server->address(), changes));
  {
    const StopListener listener;
    server->run(stop_token());
  }
  say_how_it_ended(session->counts(), changes, about.apply);
  return 0;
}

}  // namespace

Verb review_verb() {
  return {
      .name = "review",
      .summary = "answer on a page whether doubtful labels are right",
      .usage = "DATA [--learner L] [--suspicious] --port N",
      .example =
          "mulberry generate photos -o photos.arff && mulberry hide photos.arff -o hidden.arff && "
          "mulberry review hidden.arff --static review.html",
      .options =
          std::vector<Option>{
              {.name = "learner",
               .value = "L",
               .help = "judges each row after training on the others",
               .fallback = "br_logistic"},
              {.name = "suspicious",
               .help = "ask about labels that rows have, rather than labels that they lack"},
              {.name = "port",
               .value = "N",
               .help = "port of the page on the loopback address; 0: any that is free",
               .fallback = "0"},
              {.name = "changes",
               .value = "FILE",
               .help = "the answers, a change file; an earlier one goes on",
               .fallback = "DATA.changes.csv"},
              {.name = "static",
               .value = "OUT.html",
               .help = "write a page that needs no server; its answers are downloaded"},
              {.name = "top", .value = "K", .help = "number of questions", .fallback = "200"},
              {.name = "rows",
               .value = "N",
               .help = "how many rows are judged, drawn by the seed, or all",
               .fallback = "all up to 10 million cells of labels"},
              {.name = "folds",
               .value = "N",
               .help = "parts of the data, each judged by a model trained on the others",
               .fallback = "5"}} +
          run_options() + data_options() + preprocess_options(),
      .least = 1,
      .most = 1,
      .details =
          "Keys: Y yes, N no, S skip, U undo. Every answer is on disk before the next question\n"
          "is shown; the same command goes on where it was stopped. `convert --apply` writes the\n"
          "corrected data.",
      .run = run_review};
}

}  // namespace mulberry::cli
