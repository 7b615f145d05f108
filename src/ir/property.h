// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is to be verified about a program. Its formula is an expression of that program.
#pragma once

#include <cstdint>
#include <string>

#include "env/source.h"
#include "ir/ids.h"

namespace fenceline {

enum class PropertyKind : uint8_t {
  kNever,         // the formula holds in no reachable state
  kAlways,        // the formula holds in every reachable state
  kFinally,       // the formula holds whenever all threads have ended and all buffers are empty
  kObservations,  // kFinally and kNoErrors in one
  kNoDeadlock,    // no thread waits for ever: docs/semantics.md, "Errors and ends of executions"
  kNoErrors,  // no assertion fails, no value exceeds its declared range, no index its array, no zero divides
  // kNoErrors, and the history is that of transactions one after the other: all of them, or those that
  // commit.
  kOpacity,
  kStrictSerializability,
  // No thread waits for ever although each other one has ended or waits too, and all stores have reached memory:
  // docs/semantics.md, "Liveness". A deadlock violates it.
  kLiveness,
};

// What a property of this kind observes.
constexpr bool has_formula(PropertyKind kind) { return kind <= PropertyKind::kObservations; }
constexpr bool looks_at_history(PropertyKind kind) {
  return kind == PropertyKind::kOpacity || kind == PropertyKind::kStrictSerializability;
}
constexpr bool looks_at_errors(PropertyKind kind) {
  return kind == PropertyKind::kNoErrors || kind == PropertyKind::kObservations || looks_at_history(kind);
}
constexpr bool looks_at_end(PropertyKind kind) {  // its formula; nothing else of it
  return kind == PropertyKind::kFinally || kind == PropertyKind::kObservations;
}

struct Property {
  std::string name;
  PropertyKind kind = PropertyKind::kNever;
  ExprId formula;  // where has_formula()
  SourcePos pos;
};

}  // namespace fenceline
