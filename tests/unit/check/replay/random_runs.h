// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program with a bit of everything, and random executions of it.
#pragma once

#include "base/rng.h"
#include "unit/check/replay/script.h"

namespace fenceline::testing {

// Two threads with a bit of everything; `never (x == 99)` is violated by nothing, `always (0)` by everything.
inline Scene everything() {
  SceneBuilder b;
  const ObjectId x = b.shared("x", Range{0, 3}), y = b.shared("y");
  const ObjectId a = b.builder.object("a", {0, 1}, std::nullopt, b.pos(), true);
  for (const char* name : {"P", "Q"}) {
    ThreadBuilder& p = b.builder.thread(name, b.pos());
    const RegId r = p.reg("r"), s = p.reg("s");
    const auto top = p.label(), left = p.label(), right = p.label(), join = p.label();
    p.bind(top);
    p.havoc({s}, Range{0, 2}, b.pos());
    p.store(b.at(a, b.builder.reg(s)), b.number(2), b.pos());  // s == 2 is an error
    p.store(b.at(x), b.builder.reg(s), b.pos());
    p.choose({left, right}, b.pos());
    p.bind(left);
    p.fence(FenceKinds::store_store(), b.pos());
    p.rmw(RmwOp::kFetchAdd, {r}, b.at(x), b.number(1), ExprId(), b.pos());
    p.jump(join);
    p.bind(right);
    p.fence(FenceKinds::store_load(), b.pos());
    p.atomic_begin(b.pos());
    p.load({r}, b.at(x), b.pos());
    p.store(b.at(y), b.builder.reg(r), b.pos());
    p.atomic_end(b.pos());
    p.bind(join);
    p.load({s}, b.at(y), b.pos());
    p.fence(FenceKinds::full(), b.pos());
    p.branch(b.is(s, 0), top, join, b.pos());
  }
  b.property(PropertyKind::kAlways, b.number(0));
  b.property(PropertyKind::kNever,
             b.builder.binary(ExprOp::kEq, b.builder.cell(x, b.number(0)), b.number(99)));
  b.property(PropertyKind::kNoErrors);
  b.property(PropertyKind::kNoDeadlock);
  return b.finish();
}

// A trace whose steps are possible, as far as chance and the rules allow.
inline Trace random_run(const Scene& scene, Rng& rng, size_t length) {
  Trace trace;
  for (size_t tries = 0; trace.steps.size() < length && tries < 6 * length; ++tries) {
    const Replay so_far = check::replay(scene.task(), trace);
    TraceStep step;
    step.thread = ThreadId(rng.below(2));
    if (rng.chance(40)) {
      step.kind = StepKind::kFlush;
      step.cell = CellId(rng.below(scene.program.cell_count));
    } else {
      step.point = so_far.locations[step.thread.index()];
      const InstrKind kind = scene.program.thread(step.thread).at(step.point).kind;
      if (kind == InstrKind::kHavoc || kind == InstrKind::kChoose) step.chosen = rng.between(0, 1);
    }
    trace.steps.push_back(step);
    if (check::replay(scene.task(), trace).steps.size() != trace.steps.size()) trace.steps.pop_back();
  }
  return trace;
}

}  // namespace fenceline::testing
