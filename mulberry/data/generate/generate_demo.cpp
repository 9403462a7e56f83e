// photos and cars: small data with meaningful names, so that output is easy to read.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generators.hpp"

namespace mulberry::data::generators {
namespace {

double rounded(double value, double unit) { return std::round(value / unit) * unit; }

// An index drawn with the given weights.
template <std::size_t N>
std::size_t draw(Random& random, const std::array<double, N>& weights) {
  double total = 0;
  for (const double w : weights) total += w;
  double rest = random.uniform() * total;
  for (std::size_t k = 0; k + 1 < N; ++k) {
    rest -= weights[k];
    if (rest < 0) return k;
  }
  return N - 1;
}

// --- photos ---

enum Photo {
  sunset,
  night,
  sea,
  beach,
  boat,
  mountain,
  snow,
  forest,
  lake,
  city,
  people,
  k_photo_labels
};

constexpr std::array<const char*, k_photo_labels> k_photo_names = {
    "sunset", "night",  "sea",  "beach", "boat",  "mountain",
    "snow",   "forest", "lake", "city",  "people"};

constexpr std::size_t k_scenes = 4;
constexpr std::array<double, k_scenes> k_scene_share = {0.30, 0.25, 0.20, 0.25};
constexpr std::array<Photo, k_scenes> k_scene_subject = {sea, mountain, forest, city};

// How likely each label is in a scene (coast, mountains, woods, town); the subject is always there.
constexpr double k_photo_chance[k_scenes][k_photo_labels] = {
    // sunset night  sea  beach boat mount. snow forest lake  city people
    {0.35, 0.04, 1.00, 0.55, 0.30, 0.12, 0.01, 0.05, 0.00, 0.10, 0.35},
    {0.20, 0.03, 0.03, 0.01, 0.05, 1.00, 0.45, 0.35, 0.25, 0.02, 0.15},
    {0.12, 0.02, 0.02, 0.01, 0.04, 0.20, 0.15, 1.00, 0.25, 0.01, 0.15},
    {0.15, 0.35, 0.08, 0.02, 0.06, 0.04, 0.06, 0.03, 0.03, 1.00, 0.55},
};

constexpr std::size_t k_photo_features = 12;
constexpr std::array<const char*, k_photo_features> k_photo_feature_names = {
    "brightness", "contrast",  "warm_colours", "blue_share",     "green_share", "white_share",
    "grey_share", "sky_share", "reflections",  "straight_lines", "texture",     "skin_tones"};
constexpr std::array<double, k_photo_features> k_photo_base = {0.55, 0.40, 0.20, 0.20, 0.15, 0.10,
                                                               0.15, 0.35, 0.10, 0.15, 0.35, 0.05};

// How a label shifts the features, in the order of the names.
constexpr double k_photo_shift[k_photo_labels][k_photo_features] = {
    {-0.10, 0.15, 0.45, -0.05, -0.05, -0.03, 0.00, 0.10, 0.08, 0.00, -0.10, 0.00},   // sunset
    {-0.40, 0.25, -0.05, -0.05, -0.08, -0.05, 0.05, -0.10, 0.10, 0.05, -0.10, 0.0},  // night
    {0.05, -0.05, -0.05, 0.30, -0.08, 0.00, 0.00, 0.10, 0.20, -0.05, -0.05, 0.00},   // sea
    {0.10, 0.00, 0.15, 0.00, 0.00, 0.08, 0.00, 0.00, 0.00, 0.00, -0.08, 0.05},       // beach
    {0.00, 0.08, 0.00, 0.00, 0.00, 0.08, 0.00, -0.03, 0.05, 0.12, 0.00, 0.00},       // boat
    {0.00, 0.15, -0.05, 0.05, 0.00, 0.05, 0.18, -0.05, 0.00, 0.00, 0.22, 0.00},      // mountain
    {0.18, 0.05, -0.08, 0.03, -0.05, 0.40, 0.03, 0.00, 0.05, 0.00, -0.05, 0.00},     // snow
    {-0.12, 0.00, 0.00, -0.08, 0.45, -0.05, -0.03, -0.15, 0.00, 0.00, 0.25, 0.00},   // forest
    {0.03, -0.03, 0.00, 0.15, 0.03, 0.00, 0.00, 0.00, 0.30, 0.00, -0.03, 0.00},      // lake
    {0.00, 0.10, 0.03, -0.05, -0.08, 0.00, 0.25, -0.08, 0.00, 0.45, 0.05, 0.00},     // city
    {0.00, 0.03, 0.05, 0.00, 0.00, 0.00, 0.00, -0.05, 0.00, 0.00, 0.05, 0.30},       // people
};
constexpr double k_photo_noise = 0.09;

std::array<bool, k_photo_labels> photo_labels(Random& random) {
  const std::size_t scene = draw(random, k_scene_share);
  std::array<bool, k_photo_labels> on{};
  for (std::size_t l = 0; l < k_photo_labels; ++l) on[l] = random.chance(k_photo_chance[scene][l]);
  on[k_scene_subject[scene]] = true;
  if (on[night]) on[sunset] = false;
  if (!on[sea]) on[beach] = false;
  if (!on[sea] && !on[lake]) on[boat] = false;
  return on;
}

// --- cars ---

constexpr std::size_t k_brands = 6, k_types = 5, k_car_features = 10;
constexpr std::array<const char*, k_brands> k_brand_names = {"audi",    "fiat",   "jeep",
                                                             "porsche", "toyota", "volvo"};
constexpr std::array<const char*, k_types> k_type_names = {"small", "saloon", "estate", "offroad",
                                                           "sports"};
constexpr std::array<double, k_brands> k_brand_share = {0.20, 0.20, 0.12, 0.10, 0.22, 0.16};
constexpr std::array<double, k_types> k_type_share[k_brands] = {
    {0.15, 0.35, 0.30, 0.12, 0.08}, {0.75, 0.10, 0.08, 0.04, 0.03}, {0.05, 0.02, 0.03, 0.90, 0.00},
    {0.00, 0.20, 0.02, 0.23, 0.55}, {0.35, 0.25, 0.15, 0.20, 0.05}, {0.03, 0.27, 0.45, 0.25, 0.00}};

constexpr std::array<const char*, k_car_features> k_car_feature_names = {
    "length_mm", "width_mm",   "height_mm",  "weight_kg",    "power_kw",
    "boot_l",    "fuel_l_100", "price_keur", "clearance_mm", "seats"};
constexpr double k_type_mean[k_types][k_car_features] = {
    {3700, 1680, 1500, 1050, 65, 280, 5.0, 16, 140, 4.6},
    {4650, 1820, 1450, 1500, 125, 480, 6.5, 38, 140, 5.0},
    {4720, 1830, 1480, 1600, 125, 610, 6.8, 41, 145, 5.0},
    {4550, 1870, 1700, 1800, 135, 540, 8.2, 44, 205, 5.2},
    {4350, 1840, 1290, 1420, 230, 190, 9.5, 78, 115, 2.8}};
// Factors on the mean of the type.
constexpr double k_brand_factor[k_brands][k_car_features] = {
    {1.02, 1.01, 0.99, 1.04, 1.20, 1.00, 1.02, 1.25, 0.97, 1.00},
    {0.96, 0.97, 1.01, 0.91, 0.78, 0.92, 0.92, 0.78, 1.00, 0.98},
    {0.97, 1.01, 1.04, 1.06, 1.02, 0.95, 1.18, 0.98, 1.12, 1.00},
    {1.02, 1.03, 0.98, 1.08, 1.65, 0.90, 1.22, 2.00, 0.95, 0.90},
    {0.99, 0.99, 1.01, 0.97, 0.88, 0.98, 0.82, 0.88, 1.01, 1.01},
    {1.04, 1.02, 1.01, 1.08, 1.05, 1.10, 1.00, 1.12, 1.02, 1.02}};
constexpr std::array<double, k_car_features> k_car_noise = {0.03, 0.02, 0.02, 0.06, 0.15,
                                                            0.12, 0.10, 0.15, 0.05, 0.06};
constexpr std::array<double, k_car_features> k_car_unit = {1, 1, 1, 1, 1, 1, 0.1, 0.1, 1, 1};

template <std::size_t N>
std::vector<std::string> strings(const std::array<const char*, N>& names) {
  return {names.begin(), names.end()};
}

}  // namespace

Dataset photos(const GenerateOptions& options, const Context& ctx) {
  Matrix x(options.rows, k_photo_features);
  std::vector<std::vector<Id>> positives(at(options.rows));
  for (Index i = 0; i < options.rows; ++i) {
    Random random = ctx.rng("generate.photos", static_cast<std::uint64_t>(i));
    const auto on = photo_labels(random);
    for (std::size_t l = 0; l < k_photo_labels; ++l) {
      if (on[l]) positives[at(i)].push_back(static_cast<Id>(l));
    }
    for (std::size_t j = 0; j < k_photo_features; ++j) {
      double value = k_photo_base[j] + k_photo_noise * random.normal();
      for (std::size_t l = 0; l < k_photo_labels; ++l) value += on[l] ? k_photo_shift[l][j] : 0.0;
      x(i, static_cast<Index>(j)) = rounded(std::clamp(value, 0.0, 1.0), 0.001);
    }
  }
  Dataset data;
  data.x = std::move(x);
  data.y = Labels(k_photo_labels, positives);
  data.feature_names = strings(k_photo_feature_names);
  data.label_names = strings(k_photo_names);
  return data;
}

Dataset cars(const GenerateOptions& options, const Context& ctx) {
  Matrix x(options.rows, k_car_features);
  std::vector<std::vector<Id>> positives(at(options.rows));
  for (Index i = 0; i < options.rows; ++i) {
    Random random = ctx.rng("generate.cars", static_cast<std::uint64_t>(i));
    const std::size_t brand = draw(random, k_brand_share);
    const std::size_t type = draw(random, k_type_share[brand]);
    positives[at(i)] = {static_cast<Id>(brand), static_cast<Id>(k_brands + type)};
    for (std::size_t j = 0; j < k_car_features; ++j) {
      const double mean = k_type_mean[type][j] * k_brand_factor[brand][j];
      x(i, static_cast<Index>(j)) =
          rounded(mean * (1.0 + k_car_noise[j] * random.normal()), k_car_unit[j]);
    }
  }
  Dataset data;
  data.x = std::move(x);
  data.y = Labels(k_brands + k_types, positives);
  data.feature_names = strings(k_car_feature_names);
  data.sets.names = {"brand", "type"};
  data.sets.members.resize(2);
  for (std::size_t b = 0; b < k_brands; ++b) {
    data.label_names.push_back(std::string("brand=") + k_brand_names[b]);
    data.sets.members[0].push_back(static_cast<Id>(b));
  }
  for (std::size_t t = 0; t < k_types; ++t) {
    data.label_names.push_back(std::string("type=") + k_type_names[t]);
    data.sets.members[1].push_back(static_cast<Id>(k_brands + t));
  }
  return data;
}

}  // namespace mulberry::data::generators
