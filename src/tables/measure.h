// SPDX-License-Identifier: GPL-3.0-or-later
//
// One cell of a table: a program of the corpus, a property, a model, an engine and its options.
#pragma once

#include <string>
#include <string_view>

#include "engine/engine.h"
#include "ir/program.h"
#include "tables/tables.h"

namespace fenceline::tables {

// Throws Bug if it was not put into the executable.
Program bench_program(std::string_view program);

// A program with the property that a table is about. Throws Bug if there is no such program or property.
struct Subject {
  Program program;
  Property property;
};
Subject bench_subject(std::string_view program, std::string_view property);

// The engine's answer. A task that the engine does not support is `unknown` with that reason.
Result measure(const BenchContext& context, const engine::Engine& engine, const Subject& subject,
               std::string_view model, const Options& options);

// verified, spurious, violated or unknown.
std::string verdict_word(const Result& result);

}  // namespace fenceline::tables
