// Shared by the files of the extension module: one bind function per file, and common headers.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace mulberry::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_changes(nb::module_& m);
void bind_pages(nb::module_& m);
void bind_study(nb::module_& m);
void bind_base(nb::module_& m);
void bind_datasets(nb::module_& m);
void bind_learners(nb::module_& m);
void bind_measures(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_evaluation(nb::module_& m);
void bind_review(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_splits(nb::module_& m);
void bind_suspects(nb::module_& m);
void bind_text(nb::module_& m);

}  // namespace mulberry::python
