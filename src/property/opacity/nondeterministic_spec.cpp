// SPDX-License-Identifier: GPL-3.0-or-later
//
// In the order and with the tests of the paper's Algorithm 1: t is the thread that takes the step, u the
// other one. Lines that are not in the paper say so.
#include "property/opacity/nondeterministic_spec.h"

namespace fenceline::property {
namespace {

using Status = NondeterministicRules::Status;
using Thread = NondeterministicRules::Thread;
constexpr uint8_t kNone = VariableSet::kNone;

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
    u.read.add(u.unfinished_read);
  }
  return true;
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
  u.prohibit(t);
}

}  // namespace

bool NondeterministicRules::store(Thread& t, Thread& u, uint8_t v) {
  if (t.status == Status::kAbortSure || t.unfinished_read != kNone) return false;
  if (t.prohibited_written.contains(v)) return false;
  t.written.add(v);
  if (u.written.contains(v) && !depend_on(t, u)) return false;
  if (u.read.contains(v) && !order(u, t)) return false;
  // The paper: and u must abort if t comes first. But t may still take its store back.
  if (u.unfinished_read == v) t.read_predecessor = 1;
  return true;
}

bool NondeterministicRules::load(Thread& t, Thread& u, uint8_t v) {
  if (t.status == Status::kAbortSure || t.unfinished_read != kNone) return false;
  if (t.prohibited_read.contains(v)) {
    if (t.status == Status::kCommitSure) return false;
    t.status = Status::kAbortSure;
  }
  t.unfinished_read = v;
  if (t.status == Status::kCommitSure) t.read.add(v);
  if (!u.written.contains(v)) return true;
  if (t.status == Status::kCommitSure) return depend_on(t, u);
  t.write_predecessor = 1;
  if (u.serial_predecessor) must_abort(t);
  return true;
}

bool NondeterministicRules::rollback(Thread& t, Thread& u, uint8_t v) {
  if (t.status == Status::kCommitSure || !t.written.contains(v)) return false;
  if (u.write_predecessor) must_abort(u);
  if (u.unfinished_read == v) t.read_predecessor = 0;  // not in the paper
  t.written.remove(v);
  must_abort(t);
  return true;
}

bool NondeterministicRules::rfin(Thread& t, Thread& u) {
  if (t.unfinished_read == kNone || t.status == Status::kAbortSure) return false;
  t.read.add(t.unfinished_read);
  t.unfinished_read = kNone;
  if (t.write_predecessor && !depend_on(t, u)) return false;
  return !u.read_predecessor || order(t, u);
}

bool NondeterministicRules::commit(Thread& t, Thread& u) {
  if (!t.serialized || t.status == Status::kAbortSure || t.unfinished_read != kNone) return false;
  if (t.read_predecessor && u.serial_predecessor) must_abort(u);
  prohibit(t, u);
  reset(t, u);
  return true;
}

bool NondeterministicRules::abort(Thread& t, Thread& u) {
  if (!t.serialized || !t.written.empty()) return false;
  prohibit(t, u);  // not in the paper: what t has used keeps its position in the order
  reset(t, u);
  return true;
}

std::optional<NondeterministicSpec::State> NondeterministicSpec::serialize(const State& state,
                                                                           uint32_t thread) {
  State after = state;
  Thread &t = after.threads[thread], &u = after.threads[1 - thread];
  if (t.serialized) return std::nullopt;
  t.serialized = 1;
  if (u.serialized) return after;
  if (!order(t, u)) return std::nullopt;
  if (t.write_predecessor) must_abort(t);
  return after;
}

}  // namespace fenceline::property
