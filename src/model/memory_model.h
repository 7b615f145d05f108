// SPDX-License-Identifier: GPL-3.0-or-later
//
// Memory models as data. An operational machine needs little of a model: where a store is buffered
// before it reaches memory. docs/semantics.md has the rules that follow from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/cat/relational.h"
#include "model/compilation_scheme.h"
#include "model/reorder_table.h"

namespace fenceline {

// The grouping of memory cells into first-in-first-out store buffers.
enum class Buffering {
  kUnbuffered,  // stores reach memory at once (SC)
  kPerThread,   // one buffer per thread (TSO)
  kPerCell,     // one buffer per thread and cell (PSO)
  kNoMachine,   // the model cannot be expressed by store buffers (RMO, Relaxed)
};

struct MemoryModel {
  std::string_view name;
  std::string_view summary;  // one line for `fenceline models`
  Buffering buffering;
  CompilationScheme scheme = CompilationScheme::kFences;  // of C and C++
  // Is every interleaving of the threads an execution? Nothing is known of users' models.
  bool allows_interleavings = false;
  const CatModel* cat = nullptr;        // a model from a user's file; null: models/NAME.cat
  const ReorderTable* table = nullptr;  // likewise; null: models/NAME.table, if there is one
};

// The model as a table for the deferral-queue machine, if it is one.
std::optional<ReorderTable> table_of(const MemoryModel& model);

// Is the model also known by axioms? Only a user's table is not.
bool has_axioms(const MemoryModel& model);

// The model as axioms.
CatModel axioms_of(const MemoryModel& model);

// The scheme that goes with the annotations which a model in a file makes use of.
CompilationScheme scheme_for(const CatModel& axioms);

std::span<const MemoryModel> memory_models();

// Throws UsageError naming the models there are.
const MemoryModel& memory_model(std::string_view name);

}  // namespace fenceline
