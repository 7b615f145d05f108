// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/sequential_interpreter.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "env/errors.h"
#include "ir/eval.h"

namespace fenceline {
namespace {

constexpr const char* kTooLarge = "a value does not fit into 64 bits";

// The step cannot be done.
struct Failure {
  std::string why;
  bool our_limit = false;
};

class Doing {
 public:
  Doing(const Program& program, const SequentialState& state) : program_(program), state_(state) {}

  Value value(ExprId id) const {
    const Evaluated result = evaluate(program_, id, [&](const Expr& expr, Value index) {
      return state_.registers[expr.reg.index() + static_cast<size_t>(index)];
    });
    if (result.status == EvalStatus::kOverflow) throw Failure{kTooLarge, true};
    if (!result.ok())
      throw Failure{"an expression has no value (it divides by zero, leaves an array or shifts too far)"};
    return result.value;
  }

  size_t cell(const Address& address) const {
    const Object& object = program_.object(address.object);
    const Value offset = value(address.offset);
    if (!object.admits(offset, address.bytes) && object.admits(offset, 0))
      throw Failure{fmt::format("Fenceline does not support an access of {} to a value of another size",
                                counted(address.bytes, "byte")),
                    true};
    if (!object.admits(offset, address.bytes))
      throw Failure{fmt::format("there is nothing at {}[{}]", object.name, offset)};
    return object.first_cell.index() + static_cast<size_t>(offset);
  }

  size_t target(const Dest& dest) const {
    if (!dest.is_element()) return dest.reg.index();
    const Value index = value(dest.index);
    if (index < 0 || index >= static_cast<Value>(dest.count))
      throw Failure{"an index is outside of its array"};
    return dest.reg.index() + static_cast<size_t>(index);
  }

 private:
  const Program& program_;
  const SequentialState& state_;
};

void require_declared(const std::optional<Range>& declared, Value value) {
  if (declared && !declared->contains(value)) throw Failure{fmt::format("{} is outside of its range", value)};
}

}  // namespace

SequentialState SequentialInterpreter::begin(ThreadId thread) const {
  SequentialState state{program_.thread(thread).entry, {}};
  for (const Register& reg : program_.thread(thread).registers) state.registers.push_back(reg.init);
  return state;
}

uint64_t SequentialInterpreter::alternatives(ThreadId thread, const SequentialState& state) const {
  const Instruction& instruction = program_.thread(thread).at(state.at);
  if (instruction.kind == InstrKind::kChoose) return instruction.next.size();
  if (instruction.kind == InstrKind::kHavoc)
    return static_cast<uint64_t>(instruction.havoc_range.hi) -
           static_cast<uint64_t>(instruction.havoc_range.lo) + 1;
  return 1;
}

// A flat switch: a few lines for each kind of instruction.
// NOLINTNEXTLINE(readability-function-size)
SequentialInterpreter::Step SequentialInterpreter::step(ThreadId thread, SequentialState& state,
                                                        std::vector<Value>& memory, uint64_t alternative,
                                                        std::string& why) const {
  const Instruction& instruction = program_.thread(thread).at(state.at);
  const std::vector<Register>& registers = program_.thread(thread).registers;
  const Doing doing(program_, state);
  try {
    size_t next = 0;
    const auto assign = [&](Value value) {
      if (!instruction.dest.valid()) return;
      const size_t target = doing.target(instruction.dest);
      require_declared(registers[target].declared, value);
      state.registers[target] = value;
    };
    const auto write = [&](size_t cell, Value value) {
      require_declared(program_.object(instruction.address.object).declared, value);
      memory[cell] = value;
    };
    switch (instruction.kind) {
      case InstrKind::kLoad:
        assign(memory[doing.cell(instruction.address)]);
        break;
      case InstrKind::kStore: {
        const size_t cell = doing.cell(instruction.address);
        write(cell, doing.value(instruction.a));
        break;
      }
      case InstrKind::kRmw: {
        const size_t cell = doing.cell(instruction.address);
        const Value old = memory[cell], a = doing.value(instruction.a);
        switch (instruction.rmw) {
          case RmwOp::kCas:
          case RmwOp::kCasValue: {
            const Value b = doing.value(instruction.b);
            if (old == a) write(cell, b);
            assign(instruction.rmw == RmwOp::kCas ? Value{old == a} : old);
            break;
          }
          case RmwOp::kXchg:
            write(cell, a);
            assign(old);
            break;
          case RmwOp::kFetchAdd:
          case RmwOp::kFetchAnd:
          case RmwOp::kFetchOr:
          case RmwOp::kFetchXor: {
            const Evaluated left = fetch(instruction.rmw, old, a, instruction.wrap);
            if (!left.ok()) throw Failure{"a value leaves 64 bits"};
            write(cell, left.value);
            assign(old);
            break;
          }
        }
        break;
      }
      case InstrKind::kAssign:
        assign(doing.value(instruction.a));
        break;
      case InstrKind::kBranch:
        next = doing.value(instruction.a) != 0 ? 0 : 1;
        break;
      case InstrKind::kChoose:
        next = static_cast<size_t>(alternative);
        break;
      case InstrKind::kAssume:
        if (doing.value(instruction.a) == 0) return Step::kBlocked;
        break;
      case InstrKind::kAssert:
        if (doing.value(instruction.a) == 0)
          throw Failure{instruction.label.empty() ? "an assertion does not hold" : instruction.label,
                        instruction.our_limit};
        break;
      case InstrKind::kHavoc:
        assign(instruction.havoc_range.lo + static_cast<Value>(alternative));
        break;
      case InstrKind::kHalt:
        return Step::kEnded;
      case InstrKind::kFence:
      case InstrKind::kAtomicBegin:
      case InstrKind::kAtomicEnd:
      case InstrKind::kMark:
        break;
    }
    state.at = instruction.next[next];
    return Step::kOn;
  } catch (const Failure& failure) {
    why = failure.why;
    return failure.our_limit ? Step::kOurLimit : Step::kFailed;
  }
}

}  // namespace fenceline
