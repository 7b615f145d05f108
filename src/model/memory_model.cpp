// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/memory_model.h"

#include <fmt/format.h>

#include <array>

#include "env/errors.h"
#include "model/cat/cat.h"

namespace fenceline {
namespace {

constexpr std::array kModels = {
    MemoryModel{"sc", "sequential consistency: one step at a time, stores visible at once",
                Buffering::kUnbuffered, CompilationScheme::kFences, true},
    MemoryModel{"tso", "total store order (x86): a load may overtake earlier stores", Buffering::kPerThread,
                CompilationScheme::kFences, true},
    MemoryModel{"pso", "partial store order (SPARC): also stores to different cells may overtake each other",
                Buffering::kPerCell, CompilationScheme::kFences, true},
    MemoryModel{"rmo", "relaxed memory order: also loads may be reordered, dependencies are kept",
                Buffering::kNoMachine, CompilationScheme::kFences, true},
    MemoryModel{"rmo-ctrl", "rmo where branches and addresses wait for the loads that they depend on",
                Buffering::kNoMachine, CompilationScheme::kFences, true},
    MemoryModel{"relaxed", "everything may be reordered, dependencies too", Buffering::kNoMachine,
                CompilationScheme::kFences, true},
    MemoryModel{"serial", "operations run one after the other: what the others are compared with",
                Buffering::kNoMachine, CompilationScheme::kFences, false},
    MemoryModel{"x86tso", "x86: total store order with the fences and locked instructions of x86",
                Buffering::kPerThread, CompilationScheme::kFences, true},
    MemoryModel{"armv8", "ARMv8: dependencies, acquire and release are kept; stores reach all others at once",
                Buffering::kNoMachine, CompilationScheme::kAcquireRelease, true},
    MemoryModel{"riscv", "RISC-V (RVWMO): thirteen rules of program order that is kept",
                Buffering::kNoMachine, CompilationScheme::kLoadFences, true},
    MemoryModel{"power", "IBM Power: stores may reach other threads one after the other",
                Buffering::kNoMachine, CompilationScheme::kLeadingFences, true},
    MemoryModel{"rc11",
                "C and C++ 2011, repaired: relaxed, acquire, release and sequentially consistent accesses",
                Buffering::kNoMachine, CompilationScheme::kLanguage, true},
    MemoryModel{"rc20", "C++20: rc11 in which only read-modify-writes continue a release sequence",
                Buffering::kNoMachine, CompilationScheme::kLanguage, true},
};

}  // namespace

std::optional<ReorderTable> table_of(const MemoryModel& model) {
  if (model.table != nullptr) return *model.table;
  return model.cat != nullptr ? std::nullopt : shipped_table(model.name);
}

bool has_axioms(const MemoryModel& model) { return model.table == nullptr; }

CatModel axioms_of(const MemoryModel& model) {
  if (!has_axioms(model))
    throw UsageError(fmt::format("{} is a table, and this needs a model by axioms", model.name));
  return model.cat != nullptr ? *model.cat : shipped_cat(model.name);
}

CompilationScheme scheme_for(const CatModel& axioms) {
  for (const char* tag : {"RLX", "ACQ", "REL", "SC"})
    if (axioms.uses(tag)) return CompilationScheme::kLanguage;
  if (axioms.uses("A") && axioms.uses("Q") && axioms.uses("L")) return CompilationScheme::kAcquireRelease;
  return axioms.uses("Fence.rw.rw") ? CompilationScheme::kLoadFences : CompilationScheme::kFences;
}

std::span<const MemoryModel> memory_models() { return kModels; }

const MemoryModel& memory_model(std::string_view name) {
  std::string known;
  for (const MemoryModel& model : kModels) {
    if (model.name == name) return model;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", model.name);
  }
  throw UsageError(
      fmt::format("unknown memory model '{}'; known models: {}, or a .cat or .table file", name, known));
}

}  // namespace fenceline
