// SPDX-License-Identifier: GPL-3.0-or-later
//
// In the order and with the tests of the paper's Algorithm 1: t is the thread that takes the step, u the
// other one. Lines that are not in the paper say so.
#include "property/opacity/nondeterministic_spec.h"

#include "env/errors.h"

namespace fenceline {
namespace {

using State = NondeterministicSpec::State;
using Status = NondeterministicSpec::Status;
using Thread = NondeterministicSpec::Thread;
using Variables = NondeterministicSpec::Variables;
constexpr uint8_t kNone = NondeterministicSpec::kNone;

Variables only(uint8_t variable) {
  return variable == kNone ? Variables{0} : static_cast<Variables>(1U << variable);
}
bool contains(Variables set, uint8_t variable) { return (set >> variable & 1) != 0; }
void add(Variables& set, Variables more) { set = static_cast<Variables>(set | more); }

void must_abort(Thread& thread) {
  thread.status = Status::kAbortSure;
  thread.unfinished_read = kNone;
}

// False if `later` cannot come later than `earlier` in the serial order.
bool order(const Thread& earlier, Thread& later) {
  if (earlier.serial_predecessor) return false;
  later.serial_predecessor = 1;
  return true;
}

// t depends on a store of u: u comes first and cannot take it back.
bool depend_on(Thread& t, Thread& u) {
  if (!order(u, t)) return false;
  if (u.status == Status::kAbortSure || u.write_predecessor) return false;
  if (u.status == Status::kUndecided) {
    u.status = Status::kCommitSure;
    add(u.read, only(u.unfinished_read));
  }
  return true;
}

bool store(Thread& t, Thread& u, uint8_t v) {
  if (t.status == Status::kAbortSure || t.unfinished_read != kNone) return false;
  if (contains(t.prohibited_written, v)) return false;
  add(t.written, only(v));
  if (contains(u.written, v) && !depend_on(t, u)) return false;
  if (contains(u.read, v) && !order(u, t)) return false;
  // The paper: and u must abort if t comes first. But t may still take its store back.
  if (u.unfinished_read == v) t.read_predecessor = 1;
  return true;
}

bool load(Thread& t, Thread& u, uint8_t v) {
  if (t.status == Status::kAbortSure || t.unfinished_read != kNone) return false;
  if (contains(t.prohibited_read, v)) {
    if (t.status == Status::kCommitSure) return false;
    t.status = Status::kAbortSure;
  }
  t.unfinished_read = v;
  if (t.status == Status::kCommitSure) add(t.read, only(v));
  if (!contains(u.written, v)) return true;
  if (t.status == Status::kCommitSure) return depend_on(t, u);
  t.write_predecessor = 1;
  if (u.serial_predecessor) must_abort(t);
  return true;
}

bool rollback(Thread& t, Thread& u, uint8_t v) {
  if (t.status == Status::kCommitSure || !contains(t.written, v)) return false;
  if (u.write_predecessor) must_abort(u);
  if (u.unfinished_read == v) t.read_predecessor = 0;  // not in the paper
  t.written = static_cast<Variables>(t.written & ~only(v));
  must_abort(t);
  return true;
}

bool rfin(Thread& t, Thread& u) {
  if (t.unfinished_read == kNone || t.status == Status::kAbortSure) return false;
  add(t.read, only(t.unfinished_read));
  t.unfinished_read = kNone;
  if (t.write_predecessor && !depend_on(t, u)) return false;
  return !u.read_predecessor || order(t, u);
}

// The paper's ResetState. Whether u comes before t holds for t's next transaction too.
void reset(Thread& t, Thread& u) {
  const uint8_t serial_predecessor = t.serial_predecessor;
  t = {};
  t.serial_predecessor = serial_predecessor || u.serialized;
  u.read_predecessor = u.write_predecessor = u.serial_predecessor = 0;
}

// What u must not touch any more since it comes before t, which is about to end.
void prohibit(const Thread& t, Thread& u) {
  if (!t.serial_predecessor) return;
  add(u.prohibited_read, t.written | t.prohibited_read);
  add(u.prohibited_written, t.written | t.read | t.prohibited_written);
}

bool commit(Thread& t, Thread& u) {
  if (!t.serialized || t.status == Status::kAbortSure || t.unfinished_read != kNone) return false;
  if (t.read_predecessor && u.serial_predecessor) must_abort(u);
  prohibit(t, u);
  reset(t, u);
  return true;
}

bool abort(Thread& t, Thread& u) {
  if (!t.serialized || t.written != 0) return false;
  prohibit(t, u);  // not in the paper: what t has used keeps its position in the order
  reset(t, u);
  return true;
}

bool take_step(const HistoryStep& step, Thread& t, Thread& u) {
  const auto v = static_cast<uint8_t>(step.variable);
  switch (step.op) {
    case HistoryOp::kStore:
      return store(t, u, v);
    case HistoryOp::kLoad:
      return load(t, u, v);
    case HistoryOp::kRollback:
      return rollback(t, u, v);
    case HistoryOp::kRfin:
      return rfin(t, u);
    case HistoryOp::kCommit:
      return commit(t, u);
    case HistoryOp::kAbort:
      return abort(t, u);
  }
  throw Bug("an unknown operation of a history");
}

}  // namespace

NondeterministicSpec::NondeterministicSpec(const HistoryAlphabet& alphabet) : alphabet_(alphabet) {
  require(alphabet.threads == 2 && alphabet.variables <= kMaximalVariables,
          "the specifications of the paper are about two threads and few variables");
}

std::optional<State> NondeterministicSpec::step(const State& state, uint32_t letter) const {
  const HistoryStep step = alphabet_.step(letter);
  State after = state;
  if (!take_step(step, after.threads[step.thread], after.threads[1 - step.thread])) return std::nullopt;
  return after;
}

std::optional<State> NondeterministicSpec::serialize(const State& state, uint32_t thread) {
  State after = state;
  Thread &t = after.threads[thread], &u = after.threads[1 - thread];
  if (t.serialized) return std::nullopt;
  t.serialized = 1;
  if (u.serialized) return after;
  if (!order(t, u)) return std::nullopt;
  if (t.write_predecessor) must_abort(t);
  return after;
}

}  // namespace fenceline
