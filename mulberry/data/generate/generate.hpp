// Made-up data with a documented recipe: for first steps, for tests and for experiments whose truth
// is known. The same id, options and seed give the same bits on any machine and with any number of
// threads.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

// Each generator uses some of these (Generator::uses) and ignores the others.
struct GenerateOptions {
  Index rows = 1000;
  Index features = 20;
  Index labels = 10;
  double cardinality = 2.0;           // mean number of labels per row
  double sparsity = 0.0;              // share of feature values that are 0; above 0: kept sparse
  double noise = 0.2;                 // 0: the features decide; 1: they say nothing
  double prevalence = 0.3;            // how often each of the first four labels occurs
  std::vector<Index> set_sizes = {};  // classes of each exclusive set
  double dependence = 0.5;            // 0: the sets are independent; 1: the first decides
};

struct Generator {
  std::string_view id;
  std::string_view recipe;             // how the data is made, in a few sentences
  std::vector<std::string_view> uses;  // names of the options that it uses, apart from the seed
  GenerateOptions defaults;
};

std::span<const Generator> generator_table();
// Throws an Error with the nearest id if there is no such generator.
const Generator& find_generator(std::string_view id);

// Bytes of the features that it makes.
std::size_t memory_of(const Generator& generator, const GenerateOptions& options);

// Throws Error if an option that the generator uses is out of range. The seed comes from ctx.
Dataset generate(std::string_view id, const GenerateOptions& options, const Context& ctx);
Dataset generate(std::string_view id, const Context& ctx);  // with its defaults

}  // namespace mulberry::data
