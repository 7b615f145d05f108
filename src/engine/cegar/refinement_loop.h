// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counterexample-guided abstraction refinement (Clarke, Grumberg, Jha, Lu and Veith, CAV 2000), the loop of all
// engines that abstract:
//
//   while there is an abstraction to try:
//     search it
//     no violation                         → verified; certify the states found
//     a violation: concretise it.  feasible → violated; shorten the counterexample
//                                  spurious → the next abstraction
//   → unknown, with the last spurious counterexample
//
// Each engine defines what an abstraction is, and which one comes next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cegar/abstract_search.h"
#include "env/env.h"
#include "task/result.h"
#include "task/task.h"

namespace fenceline::engine {

// Is a proof to be certified? `cheap`: the proof is small enough to do so unless --certify forbids it.
bool wants_certificate(const Options& options, bool cheap);

class RefinementLoop {
 public:
  virtual ~RefinementLoop() = default;
  RefinementLoop(const RefinementLoop&) = delete;
  RefinementLoop& operator=(const RefinementLoop&) = delete;

  Result run();

 protected:
  // kBare: counterexamples are not shortened and proofs not certified.
  enum class Answers : uint8_t { kBare, kPolished };
  RefinementLoop(const Task& task, Env& env, Answers answers = Answers::kPolished)
      : task_(task), env_(env), answers_(answers) {}

  // The next abstraction, not yet searched; none: there is no other one. The hooks below report what became
  // of the one before.
  virtual std::unique_ptr<AbstractSearch> next() = 0;

  // The last search was not finished within its budget of states, or its counterexample is spurious.
  virtual void out_of_states(AbstractSearch&) {}
  virtual void spurious(AbstractSearch&) {}

  // A search without any reduction, for a shortest counterexample: the first (0), the second, ... to
  // be tried. None: there is no other one.
  virtual std::unique_ptr<AbstractSearch> shortening(unsigned number) = 0;
  // Is a counterexample of that search, if the exact machine has it step by step, one with the fewest steps?
  virtual bool finds_shortest(unsigned number) const { return number == 0; }

  // A search without reductions, for a certificate. `previous`: the one before, which found a spurious
  // counterexample; null at first. None: there is no finer one.
  virtual std::unique_ptr<AbstractSearch> certifying(AbstractSearch* previous) = 0;

  // Texts for results.
  virtual std::string proof_text(AbstractSearch& search) = 0;
  virtual std::string spurious_text(const std::string& why_not) = 0;
  virtual std::string how_far_text(AbstractSearch& search) = 0;  // "after 12 abstract states"
  virtual const char* no_certificate_text() const = 0;
  virtual const char* between_searches_text() const { return ""; }  // " while ...": a limit was reached

  // For statistics and what else a result has: after each search of the loop, and when there is an answer.
  virtual void searched(AbstractSearch& search, Result& result);
  virtual void answered(AbstractSearch&, Result&) {}
  // Where concretising a counterexample fails: another attempt to find an execution that violates the
  // property.
  virtual std::optional<Concretised> search_again() { return std::nullopt; }
  virtual std::vector<ViolatedOrdering> violated_orderings(AbstractSearch&) { return {}; }

  // The result of a complete search without a violation: a proof, with its certificate if that is wanted.
  virtual Conclusion prove(AbstractSearch& search, std::string& reason);
  // The result if a counterexample could not be concretised.
  virtual UnknownReason unconfirmed() const { return UnknownReason::kSpurious; }

  const Task& task_;
  Env& env_;

 private:
  TraceCounterexample shortened(Concretised found);

  const Answers answers_;
  Result result_;  // statistics, whatever the answer will be
};

}  // namespace fenceline::engine
