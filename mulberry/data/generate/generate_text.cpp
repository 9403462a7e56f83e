// tagged-text: short notes of a help desk with tags, for first steps with text.
#include <array>
#include <string>

#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generators.hpp"

namespace mulberry::data::generators {
namespace {

constexpr std::size_t k_tags = 6, k_phrases = 6, k_openings = 8, k_closings = 6;
constexpr std::array<const char*, k_tags> k_tag_names = {"account",  "billing", "bug",
                                                         "delivery", "feature", "praise"};
constexpr std::array<double, k_tags> k_tag_chance = {0.25, 0.3, 0.3, 0.2, 0.2, 0.15};

constexpr const char* k_phrase[k_tags][k_phrases] = {
    {"I cannot log in to my account", "the password reset mail never arrives",
     "please change the address of my profile", "my user name is not accepted",
     "how do I close my account", "two-factor login fails on my phone"},
    {"the invoice is wrong", "I was charged twice this month", "please refund the last payment",
     "my credit card was declined", "the price on the bill differs from the offer",
     "where can I download the receipt"},
    {"the app crashes when I open a file", "the page shows an error after the update",
     "saving a report freezes the window", "search returns an empty list",
     "the export button does nothing", "pictures are not loading any more"},
    {"my parcel has not arrived", "the tracking number is unknown",
     "the box was damaged when it came", "please ship it to my office",
     "the courier left the parcel next door", "half of the order is missing"},
    {"could you add a dark mode", "it would be great to sort by date",
     "please support more languages", "I wish the app had an offline mode",
     "an option to share lists would help", "can you add a calendar view"},
    {"thank you, the support was excellent", "I love the new design", "great service as always",
     "your team solved it within minutes", "this is the best tool I have used",
     "very happy with the quality"}};

constexpr std::array<const char*, k_openings> k_opening = {
    "Hello,", "Hi there,",   "Dear team,", "Good morning,", "Hey,", "To whom it may concern:",
    "Hi,",    "Hello again,"};
constexpr std::array<const char*, k_closings> k_closing = {
    "Best regards", "Thanks in advance", "Cheers", "Please answer soon", "Kind regards", "Bye"};

template <std::size_t N>
const char* one_of(Random& random, const std::array<const char*, N>& list) {
  return list[static_cast<std::size_t>(random.uniform() * N)];
}

}  // namespace

Dataset tagged_text(const GenerateOptions& options, const Context& ctx) {
  Random random = ctx.rng("tagged-text");
  TextsBuilder texts;
  std::vector<std::vector<Id>> tags(at(options.rows));
  Dataset out;
  for (Index i = 0; i < options.rows; ++i) {
    std::string text = one_of(random, k_opening);
    for (std::size_t t = 0; t < k_tags; ++t) {
      if (!random.chance(k_tag_chance[t])) continue;
      tags[at(i)].push_back(static_cast<Id>(t));
    }
    // Noise: a tag without its phrase, or a phrase without its tag.
    for (std::size_t t = 0; t < k_tags; ++t) {
      const bool tagged = std::find(tags[at(i)].begin(), tags[at(i)].end(), static_cast<Id>(t)) !=
                          tags[at(i)].end();
      const bool says = random.chance(options.noise) ? random.chance(k_tag_chance[t]) : tagged;
      if (!says) continue;
      const auto phrase = static_cast<std::size_t>(random.uniform() * k_phrases);
      text += std::string(" ") + k_phrase[t][phrase] + ".";
    }
    text += std::string(" ") + one_of(random, k_closing);
    texts.add(text);
    out.ids.push_back("note" + std::to_string(i + 1));
  }
  out.x = Matrix(options.rows, 0);
  out.id_name = "id";
  out.texts.push_back({"body", texts.finish()});
  out.label_names.assign(k_tag_names.begin(), k_tag_names.end());
  out.y = Labels(k_tags, tags);
  out.labels_listed = true;
  return out;
}

}  // namespace mulberry::data::generators
