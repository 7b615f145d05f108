// SPDX-License-Identifier: GPL-3.0-or-later
//
// CaDiCaL 1.5 behind the interface. Its phases of simplification pay off for hard queries and dominate the
// time of easy ones; it starts them only when a query takes long. What it does at the start of each query is
// switched off: for thousands of easy queries on one formula, as for all final states of a litmus test, that
// would take half of the time.
#include "sat/solver.h"

#include <algorithm>
#include <cadical.hpp>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include "env/errors.h"

namespace fenceline::sat {
namespace {

// Polling the memory of the process takes as long as many an easy query.
constexpr uint32_t kCallsPerPoll = 1024;
constexpr uint64_t kQueriesPerPoll = 64;

// CaDiCaL calls this regularly to test whether to continue.
class Deadline : public CaDiCaL::Terminator {
 public:
  explicit Deadline(Limits& limits) : limits_(limits) {}
  bool terminate() override {
    ++calls_;
    if (calls_ % kCallsPerPoll == 0 && limits_.poll_process() != LimitReached::kNone) reached_ = true;
    if (calls_ % 16 == 0 && limits_.poll() != LimitReached::kNone) reached_ = true;
    return reached_;
  }

 private:
  Limits& limits_;
  uint32_t calls_ = 0;
  bool reached_ = false;
};

}  // namespace

struct Solver::Backend {
  ~Backend() {
    if (stream == nullptr) return;
    // Out of memory in the middle of solving: then the solver can only be deleted, and it writes to the
    // stream until then.
    if ((solver.state() & CaDiCaL::VALID) == 0) return;
    solver.close_proof_trace();
    std::fclose(stream);
    std::free(text);
  }

  // The proof is written to memory.
  char* text = nullptr;
  size_t size = 0;
  FILE* stream = nullptr;
  CaDiCaL::Solver solver;
};

Solver::Solver() : backend_(std::make_unique<Backend>()) {
  backend_->solver.set("quiet", 1);
  backend_->solver.set("lucky", 0);     // trivial assignments
  backend_->solver.set("realtime", 1);  // else it queries the kernel for process times again and again
}

Solver::~Solver() = default;

void Solver::record_proof() {
  require(clauses_ == 0, "a proof must be recorded from the first clause on");
  backend_->stream = open_memstream(&backend_->text, &backend_->size);
  if (backend_->stream == nullptr) throw std::bad_alloc();
  backend_->solver.set("binary", 0);
  require(backend_->solver.trace_proof(backend_->stream, "memory"), "the solver does not write proofs");
  recording_ = true;
}

std::string Solver::finish_proof() {
  backend_->solver.flush_proof_trace();
  std::fflush(backend_->stream);
  std::string proof;
  const std::string_view all(backend_->text, backend_->size);
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\n', at), all.size() - 1) + 1;
    if (all[at] != 'd') proof.append(all.substr(at, end - at));
    at = end;
  }
  return proof;
}

Lit Solver::fresh() { return {++variables_}; }

void Solver::add(std::span<const Lit> clause) {
  if (clauses_++ == 0) add({kTrue});
  for (const Lit literal : clause)
    if (literal == kTrue && clause.size() > 1) return;
  std::vector<int> kept;
  for (const Lit literal : clause) {
    if (literal == kFalse) continue;
    backend_->solver.add(literal.code);
    if (recording_) kept.push_back(literal.code);
  }
  backend_->solver.add(0);
  if (recording_) recorded_.push_back(std::move(kept));
}

SatAnswer Solver::solve(std::span<const Lit> assumptions, Limits& limits) {
  if (std::find(assumptions.begin(), assumptions.end(), kFalse) != assumptions.end())
    return SatAnswer::kUnsatisfiable;
  const bool poll_process = queries_++ % kQueriesPerPoll == 0;
  for (const Lit literal : assumptions) {
    if (literal != kTrue) backend_->solver.assume(literal.code);
  }
  if ((poll_process ? limits.poll_process() : limits.poll()) != LimitReached::kNone) {
    backend_->solver.reset_assumptions();
    return SatAnswer::kLimit;
  }
  Deadline deadline(limits);
  backend_->solver.connect_terminator(&deadline);
  const int answer = backend_->solver.solve();
  backend_->solver.disconnect_terminator();
  return answer == 10   ? SatAnswer::kSatisfiable
         : answer == 20 ? SatAnswer::kUnsatisfiable
                        : SatAnswer::kLimit;
}

bool Solver::value(Lit literal) const {
  if (literal.constant()) return literal == kTrue;
  // A variable that occurs in no clause has no value of its own: any will do.
  if (literal.variable() > backend_->solver.vars()) return literal.code < 0;
  return backend_->solver.val(literal.code) > 0;
}

}  // namespace fenceline::sat
