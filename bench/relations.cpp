// SPDX-License-Identifier: GPL-3.0-or-later
//
// How large is the formula of a program, and what is it spent on?
//
//   bench_relations [--total] FILE MODEL [NAME=VALUE]...
//
// A row for each term of the model and for each constraint: pairs of events, variables and clauses of its
// own, without those of its operands. The loops of the program are unrolled as far as they go. With --total
// there is one line only, to see how the formula grows with a parameter.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "engine/sat/formula.h"
#include "engine/sat/unrolling.h"
#include "env/limits.h"
#include "env/source.h"
#include "frontend/c/c_program.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"

namespace fenceline::bench {
namespace {

struct Row {
  std::string what;
  sat::RelationEncoder::Cost cost;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void print(sat::Formula& formula) {
  const CatModel& model = formula.model();
  std::vector<Row> rows;
  for (size_t i = 0; i < model.terms.size(); ++i)
    rows.push_back({model.text(TermId(i)), formula.relations().term_costs()[i]});
  for (size_t i = 0; i < model.constraints.size(); ++i)
    rows.push_back({"constraint " + model.constraints[i].name, formula.relations().constraint_costs()[i]});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.cost.clauses > b.cost.clauses; });
  fmt::print("{:>8} {:>9} {:>9}\n", "pairs", "variables", "clauses");
  for (const auto& [what, cost] : rows)
    if (cost.variables + cost.clauses > 0)
      fmt::print("{:8} {:9} {:9}  {}\n", cost.pairs, cost.variables, cost.clauses, what);
}

Program read(const std::string& file, const MemoryModel& model, std::vector<std::string> defines) {
  if (!file.ends_with(".c")) return frontend::parse_fl(read_source_file(file));
  frontend::COptions options;
  options.defines = std::move(defines);
  return frontend::CSource(read_source_file(file), options).lower(model.scheme).program;
}

void measure(const std::string& file, const std::string& name, std::vector<std::string> defines, bool total) {
  const MemoryModel model = memory_model(name);
  const Program program = read(file, model, std::move(defines));
  const FenceSet none;
  const Overlay overlay(program, none);
  const CatModel axioms = axioms_of(model);
  const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), {}};
  Limits limits;
  constexpr uint64_t kBound = 100;
  sat::Unrolling unrolling(kBound);
  for (;;) {
    const double start = cpu_seconds();
    sat::Formula formula(overlay, axioms, &errors, unrolling.bounds(), {.keep_one = {}});
    for (const Constraint& constraint : axioms.constraints)
      if (constraint.flag) formula.relations().flagged(constraint);
    const double made = cpu_seconds();
    const auto variables = formula.solver().variables();
    const uint64_t clauses = formula.solver().clauses();
    if (unrolling.raise(formula, limits) == sat::Unrolling::Answer::kRaised) continue;
    if (!total) print(formula);
    fmt::print("{} events, {} variables, {} clauses, {:.2f} s to make\n", formula.events().events(),
               variables, clauses, made - start);
    return;
  }
}

}  // namespace
}  // namespace fenceline::bench

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool total = !arguments.empty() && arguments.front() == "--total";
  if (total) arguments.erase(arguments.begin());
  if (arguments.size() < 2) {
    fmt::print(stderr, "usage: bench_relations [--total] FILE MODEL [NAME=VALUE]...\n");
    return 64;
  }
  try {
    fenceline::bench::measure(arguments[0], arguments[1], {arguments.begin() + 2, arguments.end()}, total);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return 1;
  }
  return 0;
}
