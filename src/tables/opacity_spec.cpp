// SPDX-License-Identifier: GPL-3.0-or-later
//
// The specifications of opacity: how large they are, and what it takes to see that they are one language.
// Guerraoui, Henzinger, Singh: Verification of STM on relaxed memory models (FMSD 2011), section 3.2, used a
// tool with antichains for two threads and two variables: around two hours, most of them spent swapping, and
// 15 GB. Its figures are of the algorithms as they had them; ours are of the corrected ones (docs/stm.md).
#include <fmt/format.h>

#include <ctime>

#include "app/interrupt.h"
#include "env/errors.h"
#include "env/limits.h"
#include "property/opacity/automaton.h"
#include "property/opacity/conflict_monitor.h"
#include "property/opacity/deterministic_spec.h"
#include "property/opacity/nondeterministic_spec.h"
#include "report/display.h"
#include "report/table.h"
#include "tables/tables.h"

namespace fenceline::tables {
namespace {

class Stopwatch {
 public:
  std::string seconds() {  // of the processor, since the last call
    const std::clock_t before = last_;
    last_ = std::clock();
    return report::short_number(static_cast<double>(last_ - before) / CLOCKS_PER_SEC);
  }

 private:
  std::clock_t last_ = std::clock();
};

void add_rows(report::Table& table, const HistoryAlphabet& alphabet) {
  const bool as_paper = alphabet.variables == 2;
  const std::string size = fmt::format("{}x{}", alphabet.threads, alphabet.variables);
  Stopwatch watch;
  const auto add = [&](const std::string& what, uint64_t states, const char* paper_states = "") {
    table.add(
        {size, what, report::with_commas(states), watch.seconds(), "", as_paper ? paper_states : "", "", ""});
  };
  const property::SilentAutomaton nondeterministic =
      property::silent_table_of(property::NondeterministicSpec(alphabet));
  add("Algorithm 1, nondeterministic", nondeterministic.steps.size(), "155,000");
  const property::TableAutomaton deterministic = property::table_of(property::DeterministicSpec(alphabet));
  add("Algorithm 2, deterministic", deterministic.size(), "46,000");
  const property::TableAutomaton smallest = property::minimal(deterministic);
  add("minimal automaton", smallest.size());

  const property::LanguageInclusion there = property::included(nondeterministic, smallest),
                                    back = property::included(smallest, nondeterministic);
  require(!there.counterexample && !back.counterexample, "the specifications of opacity differ");
  table.add({size, "equal: yes; pairs looked at", report::with_commas(there.pairs + back.pairs),
             watch.seconds(), fmt::format("{:.0f}", static_cast<double>(peak_rss_kb()) / 1024), "",
             as_paper ? "7200" : "", as_paper ? "15,000" : ""});

  const property::TableAutomaton monitor =
      property::table_of(property::ConflictMonitor(PropertyKind::kOpacity, alphabet));
  add("graph of conflicts", monitor.size());
  require(property::minimal(monitor) == smallest, "the graph of conflicts is not opacity");
  add("minimal: the same", smallest.size());
  const property::TableAutomaton strict =
      property::table_of(property::ConflictMonitor(PropertyKind::kStrictSerializability, alphabet));
  add("strict serializability", strict.size());
  add("minimal", property::minimal(strict).size());
}

std::string make(const BenchContext& context) {
  report::Table table({"size", "automaton", "states", "s", "peak MB", "paper states", "paper s", "paper MB"},
                      2);
  for (const uint32_t variables : {1, 2})
    if (context.wants(fmt::format("2x{}", variables)) && !app::interrupted()) add_rows(table, {2, variables});
  return table.text(context.markdown) +
         "\nSizes are threads x variables. The memory is the largest of the whole process so far.\n";
}

}  // namespace

BenchTable opacity_spec_table() {
  return {"opacity-spec",
          "the specifications of opacity: sizes, and that they are one language",
          {"2x1", "2x2"},
          make};
}

}  // namespace fenceline::tables
