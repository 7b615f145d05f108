// SPDX-License-Identifier: GPL-3.0-or-later
//
// In the order and with the tests of the paper's Algorithm 2: t is the thread that takes the step, u the
// other one. Lines that are not in the paper say so.
#include "property/opacity/deterministic_spec.h"

namespace fenceline::property {
namespace {

using Status = DeterministicRules::Status;
using Thread = DeterministicRules::Thread;
constexpr uint8_t kNone = VariableSet::kNone;

bool commits_surely(const Thread& thread) {
  return thread.status == Status::kCommitSure || thread.status == Status::kCommitSurePending;
}
bool never_commits(const Thread& thread) {
  return thread.status == Status::kAbortSure || thread.status == Status::kCommitImpossible;
}
bool contradictory(const Thread& t, const Thread& u) { return t.strong_predecessor && u.strong_predecessor; }

void must_abort(Thread& thread) {
  thread.status = Status::kAbortSure;
  thread.unfinished_read = kNone;
}

void start(Thread& t, const Thread& u) {
  if (t.status != Status::kFinished) return;
  if (u.status == Status::kPending) t.hidden_predecessor = 1;
  if (u.status == Status::kCommitSurePending) t.strong_predecessor = 1;
  t.status = Status::kStarted;
}

// t depends on a store of u: u comes first and cannot take it back.
bool depend_on(Thread& t, Thread& u) {
  if (never_commits(u)) return false;
  if (u.status == Status::kPending || u.status == Status::kStarted) {
    u.status = u.status == Status::kPending ? Status::kCommitSurePending : Status::kCommitSure;
    u.read.add(u.unfinished_read);
    if (u.write_predecessor || u.read_predecessor) u.strong_predecessor = 1;
  }
  t.strong_predecessor = 1;
  return true;
}

// The paper's ResetState. That u comes before t holds for t's next transaction too.
void reset(Thread& t, Thread& u) {
  const uint8_t strong_predecessor = t.strong_predecessor;
  t = {};
  t.strong_predecessor = strong_predecessor;
  u.hidden_predecessor = u.read_predecessor = u.write_predecessor = u.strong_predecessor = 0;
}

// What u must not touch any more if it comes before t, which is about to end.
void prohibit(const Thread& t, Thread& u) {
  if (!t.hidden_predecessor && !t.read_predecessor && !t.strong_predecessor) return;
  if (u.status == Status::kStarted) u.status = Status::kPending;
  if (u.status == Status::kCommitSure) u.status = Status::kCommitSurePending;
  u.prohibit(t);
}

}  // namespace

bool DeterministicRules::store(Thread& t, Thread& u, uint8_t v) {
  if (t.status == Status::kAbortSure || t.unfinished_read != kNone) return false;
  if (t.prohibited_written.contains(v)) return false;
  t.written.add(v);
  start(t, u);
  if (u.written.contains(v)) {
    if (u.write_predecessor || u.hidden_predecessor) return false;
    if (!depend_on(t, u)) return false;
  }
  if (u.read.contains(v)) {
    t.strong_predecessor = 1;
    if (u.write_predecessor) must_abort(u);
  }
  if (u.unfinished_read == v) {
    t.read_predecessor = 1;
    // The paper: also if u has a strong or a hidden predecessor. But t may still take its store back.
    if (u.write_predecessor) must_abort(u);
  }
  return !contradictory(t, u);
}

bool DeterministicRules::rollback(Thread& t, Thread& u, uint8_t v) {
  if (commits_surely(t) || !t.written.contains(v)) return false;
  if (u.write_predecessor) must_abort(u);
  if (u.unfinished_read == v) t.read_predecessor = 0;  // not in the paper
  t.written.remove(v);
  must_abort(t);
  return true;
}

bool DeterministicRules::rfin(Thread& t, Thread& u) {
  const uint8_t v = t.unfinished_read;
  if (v == kNone) return false;
  if (t.prohibited_read.contains(v) && t.status == Status::kCommitImpossible) return false;
  t.read.add(v);
  t.unfinished_read = kNone;
  if (u.read_predecessor) u.strong_predecessor = 1;
  if (t.status == Status::kPending || t.status == Status::kCommitSurePending) u.strong_predecessor = 1;
  if (t.write_predecessor && !depend_on(t, u)) return false;
  return !contradictory(t, u);
}

bool DeterministicRules::load(Thread& t, Thread& u, uint8_t v) {
  if (t.status == Status::kAbortSure || t.unfinished_read != kNone) return false;
  start(t, u);
  if (t.prohibited_read.contains(v)) {
    if (commits_surely(t)) return false;
    t.status = Status::kCommitImpossible;
  }
  t.unfinished_read = v;
  if (commits_surely(t)) t.read.add(v);
  if (u.written.contains(v)) {
    if (commits_surely(t)) {
      if (!depend_on(t, u)) return false;
    } else {
      t.write_predecessor = 1;
      if (u.strong_predecessor) must_abort(t);
    }
  }
  return !contradictory(t, u);
}

bool DeterministicRules::commit(Thread& t, Thread& u) {
  if (never_commits(t) || t.unfinished_read != kNone) return false;
  if (t.read_predecessor && u.strong_predecessor) {  // the paper: if t has a hidden predecessor
    if (u.unfinished_read != kNone)
      must_abort(u);
    else if (u.status != Status::kAbortSure)  // this test is not in the paper
      u.status = Status::kCommitImpossible;
  }
  prohibit(t, u);
  if (contradictory(t, u)) return false;
  reset(t, u);
  return true;
}

bool DeterministicRules::abort(Thread& t, Thread& u) {
  if (!t.written.empty()) return false;
  prohibit(t, u);  // not in the paper: what t has used keeps its position in the order
  reset(t, u);
  return true;
}

}  // namespace fenceline::property
