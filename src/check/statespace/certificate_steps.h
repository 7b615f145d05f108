// SPDX-License-Identifier: GPL-3.0-or-later
//
// The steps of a state of a certificate: for every step that a machine of docs/semantics.md can do in any of
// the states that are meant, one of the results represents what comes out. Locations, memory and registers are
// as in Interpreter, and so is the order in which an instruction evaluates its operands (a step that is not
// enabled cannot fail); buffers are those of an algebra. Where its results are several, as for a load that can
// find several values in the thread's own buffer, there is a result for each of them. An atomic section is
// executed along each of its paths, to the end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/check_certificate.h"
#include "check/statespace/buffer_algebra.h"
#include "env/limits.h"
#include "ir/edit/overlay.h"
#include "model/memory_model.h"
#include "task/certificate.h"

namespace fenceline::check {

// The certificate proves nothing; the text is the reason.
struct NotProved {
  std::string why;
};

// Runs a check, which may throw NotProved and OutOfLimits: they become part of the result. `context` is what is looked
// at when that happens, for complaints.
void run_check(const std::function<void()>& check, const std::string& context, Limits& limits,
               CertificateCheck& result);

// Which points of a thread lie between a kAtomicBegin and the step that ends the section.
std::vector<bool> inside_sections_of(const Overlay& overlay, ThreadId thread);

template <BufferAlgebra Buffers>
class CertificateSteps {
 public:
  using Contents = typename Buffers::Contents;
  using State = CertificateState<Contents>;

  struct Visitor {
    // The step leads here. `flush`: a store of the thread reached memory.
    std::function<void(const State& successor, ThreadId thread, bool flush)> reached;
    // The step is an error of the program, and leads nowhere.
    std::function<void(ThreadId thread, const std::string& error)> failed;
  };

  // Keeps references.
  CertificateSteps(const Overlay& overlay, Buffers& buffers, Buffering buffering, Limits& limits)
      : overlay_(overlay), buffers_(buffers), buffering_(buffering), limits_(limits) {}

  // Precondition: the state is well-formed, and no thread is inside an atomic section. Returns whether
  // there is a step, one that fails included. Throws NotProved if a step needs a register whose value is not
  // known or makes a value that does not fit into 64 bits, and OutOfLimits.
  bool each(const State& state, const Visitor& visitor);

  const Instruction& instruction(const State& state, ThreadId thread) const {
    return overlay_.at(thread, state.locations[thread.index()]);
  }
  // A condition or operand of the thread's instruction. Throws NotProved and ProgramError.
  Value value_of(const State& state, ThreadId thread, ExprId expr) const;
  // A formula of a property. Throws the same.
  Value formula(const State& state, ExprId expr) const;

 private:
  // An intermediate state of an instruction or a section; `choice` is what a havoc does next.
  struct Halfway {
    State state;
    Value choice = 0;
  };

  bool execute(const State& state, ThreadId thread, const Visitor& visitor);
  bool run(Halfway& now, ThreadId thread, bool atomic, std::vector<Halfway>& results);
  bool load(State& state, ThreadId thread, const Instruction& i, std::vector<Halfway>& results);
  bool store(State& state, ThreadId thread, const Instruction& i, bool atomic);
  bool fence(State& state, ThreadId thread, FenceKinds kinds, std::vector<Halfway>& results);
  bool rmw(State& state, ThreadId thread, const Instruction& i);
  void assign(State& state, ThreadId thread, const Dest& dest, Value value) const;
  void go(State& state, ThreadId thread, size_t slot = 0) const;
  void need_in_range(uint32_t cell, Value value) const;
  uint32_t cell_at(const State& state, ThreadId thread, const Address& address) const;
  Value known(const State& state, ThreadId thread, size_t reg) const;
  const Program& program() const { return overlay_.program(); }
  void poll();

  const Overlay& overlay_;
  Buffers& buffers_;
  Buffering buffering_;
  Limits& limits_;
  uint64_t polls_ = 0;
};

}  // namespace fenceline::check
