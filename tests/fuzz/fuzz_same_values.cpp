// SPDX-License-Identifier: GPL-3.0-or-later
//
// Read-modify-writes that store what they have read: where engine/sat/same_values.h says that one can be left out of an
// execution, the model must allow the execution without it. The executions are those of the enumeration, of random
// programs without loops; its read and its write are taken out, what has read the write reads what the read has read, and
// the axioms are evaluated again by check/.
//
// The models are the shipped ones, and these with a few operands of their terms left out: nearly all such models are wrong,
// and the answer about each must be right.
//
// --plant: any-reader asks as if no event of the thread itself had read the write; this must be noticed.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "beyond_fl.h"
#include "check/axiomatic/base_relations.h"
#include "check/axiomatic/cat_evaluator.h"
#include "check/axiomatic/thread_execution.h"
#include "engine/enumeration/enumerate.h"
#include "engine/sat/same_values.h"
#include "env/errors.h"
#include "random_property.h"
#include "random_runs.h"
#include "sat_adapter.h"

namespace fenceline::fuzz {
namespace {

constexpr uint64_t kMemory = uint64_t{1} << 30;
constexpr double kSeconds = 2;
constexpr uint64_t kEnumerated = 100'000;  // steps
constexpr uint64_t kMutants = 4;           // of each model and program

std::string plant;

// ---- Programs

std::string line(Rng& rng) {
  const char cell = rng.chance(60) ? 'x' : 'y', reg = "ab"[rng.below(2)], other = "ab"[rng.below(2)];
  switch (rng.below(12)) {
    case 0:
    case 1:
    case 2:
      return fmt::format("{} = xchg({}, 1);", reg, cell);
    case 3:
      return fmt::format("{} = xchg({}, 1 + {} - {});", reg, cell, other, other);
    case 4:
      return fmt::format("{} = cas({}, 1, 1);", reg, cell);
    case 5:
    case 6:
      return fmt::format("{} = 1;", cell);
    case 7:
      return fmt::format("{} = 1 + {} - {};", cell, other, other);
    case 8:
      return fmt::format("if ({} == 1) {{ {} = 1; }}", other, cell);
    case 9:
      return rng.chance(50) ? "fence;" : "fence(store-load);";
    default:
      return fmt::format("{} = {};", reg, cell);
  }
}

// A ring of loads and stores that may depend on them: what models forbid. Read-modify-writes are in between.
std::string ring_text(Rng& rng) {
  std::string text = "shared int x = 0;\nshared int y = 0;\n";
  const auto exchanges = [&](char cell) {
    if (rng.chance(60)) text += fmt::format("  b = xchg({}, 1);\n", cell);
    if (rng.chance(20)) text += "  fence;\n";
  };
  for (uint64_t t = 0; t < 2; ++t) {
    const char from = "xy"[t], to = "yx"[t];
    text += fmt::format("thread P{} {{\n  local int a = 0;\n  local int b = 0;\n", t);
    exchanges(from);
    text += fmt::format("  a = {};\n", from);
    if (rng.chance(20)) exchanges(from);
    switch (rng.below(3)) {
      case 0:
        text += fmt::format("  {} = 1;\n", to);
        break;
      case 1:
        text += fmt::format("  {} = 1 + a - a;\n", to);
        break;
      default:
        text += fmt::format("  if (a == 1) {{ {} = 1; }}\n", to);
        break;
    }
    if (rng.chance(30)) exchanges(to);
    text += "}\n";
  }
  if (rng.chance(50))
    text += fmt::format("thread P2 {{\n  local int a = 0;\n  local int b = 0;\n  {}\n  {}\n}}\n", line(rng),
                        line(rng));
  return text + "property p: finally (x == x);\n";
}

std::string random_text(Rng& rng) {
  if (rng.chance(30)) return ring_text(rng);
  std::string text = "shared int x = 0;\nshared int y = 0;\n";
  const uint64_t threads = 2 + rng.below(3);
  for (uint64_t t = 0; t < threads; ++t) {
    text += fmt::format("thread P{} {{\n  local int a = 0;\n  local int b = 0;\n", t);
    for (uint64_t lines = threads == 4 ? 2 : threads == 3 ? 2 + rng.below(2) : 4; lines > 0; --lines)
      text += "  " + line(rng) + "\n";
    text += "}\n";
  }
  return text + "property p: finally (x == x);\n";
}

void tag(Program& program, const std::string& model, uint64_t seed) {
  using Tags = std::vector<std::vector<std::string>>;
  const bool c11 = model == "rc11", arm = model == "armv8", riscv = model == "riscv",
             power = model == "power";
  const Tags none{{}};
  const Tags reads = c11     ? Tags{{"NA"}, {"RLX"}, {"ACQ"}, {"SC"}}
                     : arm   ? Tags{{}, {"A"}, {"Q"}}
                     : riscv ? Tags{{}, {"Acq"}, {"AcqRel"}}
                             : none;
  const Tags writes = c11     ? Tags{{"NA"}, {"RLX"}, {"REL"}, {"SC"}}
                      : arm   ? Tags{{}, {"L"}}
                      : riscv ? Tags{{}, {"Rel"}, {"AcqRel"}}
                              : none;
  const Tags rmw_reads = c11     ? Tags{{"RLX"}, {"ACQ"}, {"SC"}}
                         : arm   ? Tags{{"X"}, {"X", "A"}}
                         : riscv ? Tags{{"AMO"}, {"EX"}, {"AMO", "Acq"}}
                         : power ? Tags{{"EX"}, {}}
                                 : none;
  const Tags rmw_writes = c11     ? Tags{{"RLX"}, {"REL"}, {"SC"}}
                          : arm   ? Tags{{"X"}, {"X", "L"}}
                          : riscv ? Tags{{"AMO"}, {"EX"}, {"AMO", "Rel"}}
                          : power ? Tags{{"EX"}, {}}
                                  : none;
  for (size_t t = 0; t < program.threads.size(); ++t) {
    Rng rng(seed * 100 + t);
    for (Instruction& i : program.threads[t].code) {
      const uint64_t pick = rng.below(12);
      if (i.kind == InstrKind::kFence && power && pick % 3 > 0) i.tags = {pick % 3 == 1 ? "LWSYNC" : "SYNC"};
      if (!i.is_memory_access()) continue;
      const auto one = [pick](const Tags& tags) { return tags[pick % tags.size()]; };
      const bool rmw = i.kind == InstrKind::kRmw;
      i.tags = rmw ? one(rmw_reads) : i.reads_memory() ? one(reads) : one(writes);
      if (rmw) i.write_tags = one(rmw_writes);
    }
  }
}

// ---- Models

// One operand takes the place of some terms.
CatModel mutated(CatModel model, Rng& rng) {
  for (uint64_t left = 1 + rng.below(3); left > 0; --left)
    for (uint64_t tries = 0; tries < 20; ++tries) {
      const size_t at = rng.below(model.terms.size());
      const Term& term = model.terms[at];
      const TermId kept = rng.chance(50) || !term.b.valid() ? term.a : term.b;
      if (!kept.valid() || model.term(kept).is_set != term.is_set) continue;
      const Term operand = model.term(kept);
      model.terms[at] = operand;
      break;
    }
  return model;
}

// ---- Executions without a read-modify-write

using Thread = std::vector<check::ThreadEvent>;

// What the threads do in the execution, with all dependencies.
std::vector<Thread> threads_of(const Overlay& overlay, const Execution& execution) {
  std::vector<Thread> result;
  size_t next = 0;
  while (next < execution.events.size() && !execution.events[next].thread.valid()) ++next;
  for (size_t t = 0; t < overlay.program().threads.size(); ++t) {
    check::ThreadExecution thread(overlay, ThreadId(t));
    while (!thread.ended()) {
      const size_t done = next + thread.events().size();
      std::optional<Value> input;
      if (done < execution.events.size()) input = execution.events[done].value;
      Effect effect;
      require(thread.step(input, effect) == check::ThreadExecution::Outcome::kMoved, "a thread that goes on");
    }
    next += thread.events().size();
    result.push_back(thread.events());
  }
  return result;
}

BitSet without(const BitSet& reads, size_t read) {
  BitSet result;
  reads.for_each([&](size_t other) {
    if (other != read) result.add(other < read ? other : other - 2);
  });
  return result;
}

// Does the model allow the execution without the read and the write behind it?
bool allowed_without(const Program& program, const CatModel& model, const Execution& execution,
                     std::vector<Thread> threads, size_t read) {
  const size_t write = read + 1;
  const Event& event = execution.events[read];
  Thread& of = threads[event.thread.index()];
  size_t first = read;
  while (first > 0 && execution.events[first - 1].thread == event.thread) --first;
  const size_t local = read - first;
  of.erase(of.begin() + static_cast<std::ptrdiff_t>(local),
           of.begin() + static_cast<std::ptrdiff_t>(local) + 2);
  for (check::ThreadEvent& one : of)
    for (BitSet check::ThreadEvent::*depends :
         {&check::ThreadEvent::addr, &check::ThreadEvent::data, &check::ThreadEvent::ctrl})
      one.*depends = without(one.*depends, local);

  const auto renamed = [&](EventId id) {
    if (id.index() == write) id = execution.reads_from[read];
    return EventId(id.index() < read ? id.index() : id.index() - 2);
  };
  std::vector<EventId> reads_from;
  for (size_t e = 0; e < execution.events.size(); ++e)
    if (e != read && e != write)
      reads_from.push_back(execution.reads_from[e].valid() ? renamed(execution.reads_from[e]) : EventId());
  std::vector<std::vector<EventId>> coherence;
  for (const std::vector<EventId>& order : execution.coherence) {
    coherence.emplace_back();
    for (const EventId id : order)
      if (id.index() != write) coherence.back().push_back(renamed(id));
  }
  check::EventStructure structure(false);
  structure.begin(program.cell_count);
  for (const Thread& thread : threads) structure.add_thread(thread);
  check::CatEvaluator evaluator(model);
  structure.fill_static(evaluator);
  check::DynamicRelations(structure.size(), reads_from, coherence).fill(evaluator);
  return evaluator.consistent();
}

// ---- Comparison

class Claims {
 public:
  explicit Claims(const CatModel& model) : model_(model) {}

  bool may_omit(const Execution& execution, const std::vector<Thread>& threads, size_t read, Tally* tally) {
    const Event& event = execution.events[read];
    const size_t write = read + 1;
    const Event& source = execution.events[execution.reads_from[read].index()];
    const bool own_source = source.thread == event.thread;
    bool own_reader = false;
    for (size_t e = write + 1; e < execution.events.size(); ++e)
      own_reader = own_reader ||
                   (execution.reads_from[e] == EventId(write) && execution.events[e].thread == event.thread);
    const bool of_rmw =
        own_source &&
        threads[source.thread.index()][index_in_thread(execution, execution.reads_from[read].index())]
            .of_rmw();
    const Instruction& instruction =
        *threads[event.thread.index()][index_in_thread(execution, read)].instruction;
    const auto holds = [&](sat::Readers readers) {
      switch (claim(instruction, readers)) {
        case sat::SameValue::kCounts:
          return false;
        case sat::SameValue::kOwnSourceCounts:
          return !own_source;
        case sat::SameValue::kOwnStoreCounts:
          return !own_source || of_rmw;
        case sat::SameValue::kDoesNotCount:
          return true;
      }
      return false;
    };
    const bool any = holds(sat::Readers::kAny);
    const bool result =
        any || ((!own_reader || plant == "any-reader") && holds(sat::Readers::kOfOtherThreads));
    if (tally != nullptr) ++(*tally)[any ? "left out" : result ? "left out, no own reader" : "kept"];
    return result;
  }

 private:
  static size_t index_in_thread(const Execution& execution, size_t event) {
    size_t first = event;
    while (first > 0 && execution.events[first - 1].thread == execution.events[event].thread) --first;
    return event - first;
  }
  sat::SameValue claim(const Instruction& instruction, sat::Readers readers) {
    const auto [found, is_new] = known_.try_emplace({&instruction, readers}, sat::SameValue::kCounts);
    if (is_new) found->second = sat::same_value(model_, instruction, readers);
    return found->second;
  }

  const CatModel& model_;
  std::map<std::pair<const Instruction*, sat::Readers>, sat::SameValue> known_;
};

std::string wrong_claim(const Program& program, const CatModel& model, Tally* tally) {
  const FenceSet no_fences;
  const Overlay overlay(program, no_fences);
  Claims claims(model);
  std::string found;
  Limits limits(kSeconds, kMemory);
  const auto visit = [&](const Execution& execution) {
    if (!found.empty()) return;
    const std::vector<Thread> threads = threads_of(overlay, execution);
    for (size_t e = 0; e + 1 < execution.events.size(); ++e) {
      const Event &read = execution.events[e], &write = execution.events[e + 1];
      if (read.kind != EventKind::kRead || write.kind != EventKind::kWrite || read.thread != write.thread ||
          read.position != write.position || read.value != write.value)
        continue;
      if (!claims.may_omit(execution, threads, e, tally)) continue;
      if (!allowed_without(program, model, execution, threads, e))
        found = fmt::format("P{}: its read-modify-write number {} must not be left out", read.thread.index(),
                            read.position);
    }
  };
  try {
    engine::enumerate_executions(program, model, {}, {.budget = kEnumerated, .limits = &limits}, visit);
  } catch (const Unsupported&) {
  }
  return found;
}

std::string difference(const std::string& text, const std::vector<std::string>& models, uint64_t seed,
                       Tally* tally) {
  for (const std::string& name : models) {
    Program program = read_program(text);
    tag(program, name, seed);
    const CatModel shipped = axioms_of(TestedModel(name, "").model);
    for (uint64_t i = 0; i <= kMutants; ++i) {
      Rng rng(seed * 31 + i);
      const CatModel model = i == 0 ? shipped : mutated(shipped, rng);
      Tally here;
      const std::string found = wrong_claim(program, model, &here);
      if (tally != nullptr)
        for (const auto& [what, number] : here)
          (*tally)[fmt::format("{}{} {}", name, i == 0 ? "" : ", changed:", what)] += number;
      if (found.empty()) continue;
      std::string axioms;
      for (const Constraint& constraint : model.constraints)
        axioms += fmt::format("\n  {}: {}", constraint.name, model.text(constraint.term));
      return fmt::format("{}, change {}: {}{}", name, i, found, axioms);
    }
  }
  return "";
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree =
      all_agree(runs, random_text, [&](const std::string& text, Rng& rng) -> std::optional<Disagreement> {
        std::vector<std::string> models = runs.models;
        if (!runs.every) models = {models[rng.below(models.size())], models[rng.below(models.size())]};
        const uint64_t seed = rng.below(100'000);
        const std::string what = difference(text, models, seed, &tally);
        if (what.empty()) return std::nullopt;
        const std::string kind = what.substr(0, what.find(':'));
        return Disagreement{what, [=](const std::string& less) {
                              return difference(less, models, seed, nullptr).starts_with(kind);
                            }};
      });
  print(tally);
  if (!agree) return 1;
  std::cout << runs.count << " programs: what is left out of executions leaves executions\n";
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  return fuzz_main(argc, argv,
                   {.models = {"sc", "tso", "pso", "rmo", "rmo-ctrl", "relaxed", "x86tso", "armv8", "riscv",
                               "power", "rc11"}},
                   run, [](CommandLine& line) {
                     line.option("--plant", "", [](const std::string& name) {
                       plant = name;
                       return true;
                     });
                   });
}
