// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a thread can do at a point of its code, found by running its instructions symbolically (terms.h). A
// *path* collects the conditions under which it is taken, the values of registers, the stores and the writes,
// all in terms of the variables before the step; it becomes one transition of SPIN.
//
// Without fusing, a path is one instruction (or one atomic section). With fusing it goes on as long as the
// instructions touch nothing but their own thread, which is tier 1 of our own reduction
// (machine/por/partial_order_reduction.h); temporaries disappear thereby, and most registers with them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "promela_buffer.h"
#include "promela_context.h"
#include "terms.h"

namespace fenceline::bench {

// One alternative for a thread at a label.
struct PromelaPath {
  size_t at = 0;
  std::vector<PromelaTerm> guards;
  std::map<size_t, PromelaTerm> registers;  // those that were assigned
  struct Write {
    PromelaTerm cell;
    PromelaTerm value;
  };
  std::vector<Write> writes;  // straight to memory
  struct Push {
    size_t point;
    PromelaTerm offset, value;
  };
  std::vector<Push> pushes;
  std::vector<std::string> flush;
  std::optional<PromelaTerm> empty_after_flush;
  std::vector<size_t> passed;
  bool changes_visible = false;  // registers or cells that the property sees
  bool fails = false;

  // False if the condition cannot hold.
  bool require_that(const PromelaTerm& condition) {
    if (condition.constant) return *condition.constant != 0;
    const auto same = [&](const PromelaTerm& guard) { return guard.text == condition.text; };
    if (std::none_of(guards.begin(), guards.end(), same)) guards.push_back(condition);
    return true;
  }
};

class ThreadSteps {
 public:
  using Paths = std::vector<PromelaPath>;

  ThreadSteps(const PromelaContext& context, size_t thread)
      : context_(context),
        thread_(thread),
        ir_(context.program.threads[thread]),
        buffer_(context.code, context.ranges, context.bounds, thread, context.limited) {}

  // All steps of the thread at `label`, flushes too.
  Paths moves(size_t label) const;

  const PromelaBuffer& buffer() const { return buffer_; }
  const machine::Operation& operation(size_t point) const {
    return context_.code.at(thread_, static_cast<uint32_t>(point));
  }
  bool visible_register(size_t reg) const {
    return context_.observed_registers.contains({ThreadId(thread_), RegId(reg)});
  }

 private:
  PromelaTerm value(const PromelaPath& path, ExprId id) const;
  PromelaTerm offset(const PromelaPath& path, const Instruction& instruction) const;
  void assign(PromelaPath& path, const Instruction& instruction, const PromelaTerm& value) const;
  void write(PromelaPath& path, const machine::Operation& op, const PromelaTerm& offset,
             const PromelaTerm& value) const;
  PromelaTerm read_memory(const PromelaPath& path, size_t point, const machine::Operation& op,
                          const PromelaTerm& offset) const;
  PromelaTerm buffers_empty(const PromelaPath& path) const;
  std::optional<PromelaTerm> failure_condition(const PromelaPath& path, const Instruction& instruction) const;

  Paths step(const PromelaPath& from) const;
  void run(PromelaPath path, const Instruction& instruction, Paths& out) const;
  void run_rmw(PromelaPath path, const Instruction& instruction, Paths& out) const;
  Paths whole_step(const PromelaPath& from) const;
  bool fusible(const PromelaPath& path) const;
  void extend(const PromelaPath& path, Paths& out) const;

  const PromelaContext& context_;
  size_t thread_;
  const Thread& ir_;
  PromelaBuffer buffer_;
};

}  // namespace fenceline::bench
