// Reviews: a page of questions as one file, or shown by a server of this process that keeps the
// answers in a change file.
#include <nanobind/stl/unique_ptr.h>

#include <thread>

#include "cli/verbs/review_server.hpp"
#include "cli/verbs/review_session.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/evaluate/reasons.hpp"
#include "mulberry/evaluate/suspects.hpp"
#include "mulberry/http/gate.hpp"
#include "mulberry/http/server.hpp"
#include "mulberry/report/page/review_page.hpp"
#include "python/src/convert.hpp"
#include "python/src/run.hpp"

namespace mulberry::python {
namespace {

using namespace report;
using cli::ReviewServer, cli::ReviewSession;

// The server runs in another thread, which never needs Python, from here until close().
class Review {
 public:
  Review(Dataset data, const std::vector<Suspect>& suspects, const ReviewAbout& about,
         std::uint16_t port, const Context& ctx)
      : data_(std::move(data)),
        rows_(data_),
        server_(std::in_place, http::ServerOptions{.port = port, .token = http::random_token()},
                [this](const http::Request& request) { return pages_->respond(request); }),
        file_(std::in_place, about.file, rows_.key()),
        session_(data_, rows_, suspects, *file_),
        reasons_(data_, {}, rows_of(session_.questions()), ctx) {
    pages_.emplace(page_html(served_review(about)), session_, [this](Index k) {
      constexpr std::size_t k_letters = 50'000;
      const Suspect& one = session_.questions()[at(k)];
      return question_json(data_, rows_, k, one, reasons_.of(one.row, one.label), k_letters);
    });
    thread_ = std::jthread([this](const std::stop_token& stop) { server_->run(stop); });
  }

  std::string address() const { return server_ ? server_->address() : std::string(); }
  bool is_open() const { return server_.has_value(); }
  // Nobody listens afterwards, and another review may have the file.
  void close() {
    const nb::gil_scoped_release release;
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
    server_.reset();
    file_.reset();
  }

 private:
  Dataset data_;
  RowNames rows_;
  std::optional<http::Server> server_;
  std::optional<AnswerFile> file_;
  ReviewSession session_;
  Reasons reasons_;
  std::optional<ReviewServer> pages_;
  std::jthread thread_;
};

using PlainSuspect = std::tuple<Id, Id, double, double, double>;

// Those of one row one after the other.
std::vector<Suspect> suspects_of(const std::vector<PlainSuspect>& given) {
  std::vector<Suspect> out;
  for (const auto& [row, label, chance, score, gap] : given) {
    out.push_back({row, label, chance, score, gap});
  }
  return row_after_row(out);
}

ReviewAbout about_of(const Dataset& data, bool missing, const std::string& name,
                     const std::string& file, const std::string& apply) {
  return {.data = name,
          .file = file,
          .apply = apply,
          .kind = missing ? SuspectKind::missing : SuspectKind::suspicious,
          .key = RowNames(data).key()};
}

std::string write_page(const Dataset& data, const std::vector<PlainSuspect>& given, bool missing,
                       const std::string& name, const std::string& file, const std::string& apply,
                       int threads, std::uint64_t seed) {
  const std::vector<Suspect> suspects = suspects_of(given);
  const ReviewAbout about = about_of(data, missing, name, file, apply);
  std::string out;
  run({.threads = threads, .seed = seed, .progress = nb::none()}, [&](const Context& ctx) {
    const Reasons reasons(data, {}, rows_of(suspects), ctx);
    out = page_html(static_review(about, data, RowNames(data), suspects, reasons));
  });
  return out;
}

std::unique_ptr<Review> serve(const Dataset& data, const std::vector<PlainSuspect>& given,
                              bool missing, const std::string& name, const std::string& file,
                              const std::string& apply, std::uint16_t port, int threads,
                              std::uint64_t seed) {
  const std::vector<Suspect> suspects = suspects_of(given);
  const ReviewAbout about = about_of(data, missing, name, file, apply);
  std::unique_ptr<Review> out;
  run({.threads = threads, .seed = seed, .progress = nb::none()}, [&](const Context& ctx) {
    out = std::make_unique<Review>(data, suspects, about, port, ctx);
  });
  return out;
}

}  // namespace

void bind_review(nb::module_& m) {
  nb::class_<Review>(m, "Review")
      .def_prop_ro("address", &Review::address)
      .def_prop_ro("is_open", &Review::is_open)
      .def("close", &Review::close);
  m.def("review_page", &write_page, nb::arg("data"), nb::arg("suspects"), nb::arg("missing"),
        nb::arg("name"), nb::arg("file"), nb::arg("apply"), nb::arg("threads") = 1,
        nb::arg("seed") = 0);
  m.def("serve_review", &serve, nb::arg("data"), nb::arg("suspects"), nb::arg("missing"),
        nb::arg("name"), nb::arg("file"), nb::arg("apply"), nb::arg("port") = 0,
        nb::arg("threads") = 1, nb::arg("seed") = 0);
}

}  // namespace mulberry::python
