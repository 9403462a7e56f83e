// The report of relations between labels: a directed graph whose arrows the reader thins out by a
// slider, with all figures of an arrow on hover and in a table.
#pragma once

#include "mulberry/report/page/page.hpp"
#include "mulberry/report/relations_report.hpp"

namespace mulberry::report {

// `what`: the learner and the data, in a few words. `least`: as in strongest_arrows.
Page relations_page(const Relations& relations, const std::string& what, double least);

// The part that other pages show as well: adds the table "arrows", the script and data.relations to
// the page, once. Returns the body of a section.
std::string add_relations(Page& page, const Relations& relations, double least);

}  // namespace mulberry::report
