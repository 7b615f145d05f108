// SPDX-License-Identifier: GPL-3.0-or-later
//
// One configuration, tried once: plan, fixpoint, narrowing, the property, and if it holds the certificate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/numeric/abstract_element.h"
#include "engine/numeric/invariant.h"
#include "engine/numeric/plan.h"
#include "env/limits.h"
#include "task/numeric_certificate.h"
#include "task/task.h"

namespace fenceline::numeric {

struct AnalysisOptions {
  NumericDomain domain = NumericDomain::kPolyhedra;
  unsigned slots = 4;  // stores that are kept one by one, at least 1
  FixpointOptions fixpoint;
  PlanOptions plan;
  bool certificate = false;  // make one
  bool text = false;         // write the invariant down, by program counters

  std::string name() const;  // "polyhedra, 3 sets"
};

struct Analysis {
  enum class Outcome : uint8_t {
    kHolds,       // the invariant excludes all violations
    kAlarm,       // it does not, or was not found in so many steps
    kExactAlarm,  // and nothing was joined, widened or abstracted away before the violation
    kLimit,
  };
  Outcome outcome = Outcome::kAlarm;
  LimitReached limit = LimitReached::kNone;
  uint64_t partitions = 0, sets = 0, steps = 0;
  uint64_t numeric_variables = 0;
  std::optional<NumericCertificate> certificate;
  std::string text;
};

// Precondition: the numeric engine can decide the task. Throws Unsupported.
Analysis analyze(const Task& task, AnalysisOptions options, Limits& limits);

}  // namespace fenceline::numeric
