// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/sections.h"

#include <map>
#include <optional>
#include <utility>

#include "env/errors.h"

namespace fenceline::sat {
namespace {

class SectionEncoder {
 public:
  SectionEncoder(const Overlay& overlay, const Unfolding& unfolding, Arithmetic& arithmetic)
      : overlay_(overlay),
        program_(overlay.program()),
        unfolding_(unfolding),
        arithmetic_(arithmetic),
        circuit_(arithmetic.circuit()),
        expressions_(program_, arithmetic) {}

  Lit run(uint32_t begin, const std::vector<NumberPtr>& registers, const std::vector<Number>& memory) {
    State start{kTrue, {}, memory};
    for (const NumberPtr& reg : registers) start.registers.push_back(*reg);
    arrive(unfolding_.nodes()[begin].out[0], std::move(start));
    // The nodes are numbered in an order that agrees with all edges.
    while (!open_.empty()) {
      auto next = open_.extract(open_.begin());
      visit(next.key(), std::move(next.mapped()));
    }
    return circuit_.any(std::move(alternatives_));
  }

 private:
  struct State {
    Lit here = kFalse;
    std::vector<Number> registers, memory;
  };

  class OwnRegisters : public Leaves {
   public:
    explicit OwnRegisters(const State& state) : state_(state) {}
    Number leaf(const Expr& expr, uint32_t element) override {
      return state_.registers[expr.reg.index() + element];
    }

   private:
    const State& state_;
  };

  void arrive(uint32_t node, State state) {
    if (state.here == kFalse) return;
    const auto found = open_.find(node);
    if (found == open_.end()) {
      open_.emplace(node, std::move(state));
      return;
    }
    State& other = found->second;
    for (size_t i = 0; i < other.registers.size(); ++i)
      other.registers[i] = expressions_.choose(state.here, state.registers[i], other.registers[i]);
    for (size_t i = 0; i < other.memory.size(); ++i)
      other.memory[i] = expressions_.choose(state.here, state.memory[i], other.memory[i]);
    other.here = circuit_.either(other.here, state.here);
  }

  // A step that fails is a step.
  void fail(State& state, Lit fails) {
    alternatives_.push_back(circuit_.both(state.here, fails));
    state.here = circuit_.both(state.here, !fails);
  }

  Number value(State& state, ExprId id) {
    OwnRegisters registers(state);
    Expressions::Result result = expressions_.evaluate(id, registers);
    fail(state, result.fails);
    return std::move(result.number);
  }

  void assign(State& state, const Dest& dest, ThreadId thread, const Number& number) {
    if (!dest.valid()) return;
    const Number index = dest.is_element() ? value(state, dest.index) : expressions_.constant(0);
    fail(state, !expressions_.within(index, {0, static_cast<Value>(dest.count) - 1}));
    for (uint32_t i = 0; i < dest.count; ++i) {
      const Lit here = expressions_.is(index, i);
      const size_t reg = dest.reg.index() + i;
      if (const auto& declared = program_.thread(thread).registers[reg].declared)
        fail(state, circuit_.both(here, !expressions_.within(number, *declared)));
      state.registers[reg] = expressions_.choose(here, number, state.registers[reg]);
    }
  }

  struct Location {
    std::vector<std::pair<size_t, Lit>> cells;  // the cells that the access can have, and whether it has them
  };
  Location locate(State& state, const Address& address) {
    const Object& object = program_.object(address.object);
    const Number offset = value(state, address.offset);
    const Range inside{0, static_cast<Value>(object.size()) - 1};
    fail(state, !expressions_.within(offset, inside));
    Location location;
    std::vector<Lit> somewhere;
    offset.values.for_each_in(inside, [&](Value i) {
      if (!object.admits(i, address.bytes)) return;
      somewhere.push_back(expressions_.is(offset, i));
      location.cells.emplace_back(object.first_cell.index() + static_cast<size_t>(i), somewhere.back());
    });
    if (!object.cell_bytes.empty()) fail(state, !circuit_.any(std::move(somewhere)));
    return location;
  }
  Number read(const State& state, const Location& location) {
    if (location.cells.empty()) return expressions_.constant(0);  // it fails
    Number result = state.memory[location.cells.front().first];
    for (const auto& [cell, here] : location.cells)
      result = expressions_.choose(here, state.memory[cell], result);
    return result;
  }
  void write(State& state, const Address& address, const Location& location, const Number& number,
             Lit condition) {
    if (const auto& declared = program_.object(address.object).declared)
      fail(state, circuit_.both(condition, !expressions_.within(number, *declared)));
    for (const auto& [cell, here] : location.cells)
      state.memory[cell] = expressions_.choose(circuit_.both(condition, here), number, state.memory[cell]);
  }

  void visit(uint32_t index, State state) {
    const Unfolding::Node& node = unfolding_.nodes()[index];
    if (node.beyond) throw Unsupported("a loop in an atomic section");
    const Instruction& instruction = overlay_.at(node.thread, node.point);
    switch (instruction.kind) {
      case InstrKind::kAtomicEnd:
        alternatives_.push_back(state.here);
        return;
      case InstrKind::kLoad:
        assign(state, instruction.dest, node.thread, read(state, locate(state, instruction.address)));
        break;
      case InstrKind::kStore: {
        const Location location = locate(state, instruction.address);
        write(state, instruction.address, location, value(state, instruction.a), kTrue);
        break;
      }
      case InstrKind::kRmw:
        rmw(state, node.thread, instruction);
        break;
      case InstrKind::kAssign:
        assign(state, instruction.dest, node.thread, value(state, instruction.a));
        break;
      case InstrKind::kAssume:
        state.here = circuit_.both(state.here, expressions_.holds(value(state, instruction.a)));
        break;
      case InstrKind::kAssert:
        fail(state, !expressions_.holds(value(state, instruction.a)));
        break;
      case InstrKind::kBranch: {
        const Lit holds = expressions_.holds(value(state, instruction.a));
        State otherwise = state;
        otherwise.here = circuit_.both(state.here, !holds);
        state.here = circuit_.both(state.here, holds);
        arrive(node.out[1], std::move(otherwise));
        break;
      }
      case InstrKind::kChoose:
      case InstrKind::kHavoc:
        throw Unsupported("a choice in an atomic section that a thread may wait at");
      case InstrKind::kFence:
      case InstrKind::kAtomicBegin:
      case InstrKind::kMark:
      case InstrKind::kHalt:
        break;
    }
    arrive(node.out[0], std::move(state));
  }

  void rmw(State& state, ThreadId thread, const Instruction& instruction) {
    const Location location = locate(state, instruction.address);
    const Number old = read(state, location), a = value(state, instruction.a);
    Lit writes = kTrue;
    Number written = a, result = old;
    if (is_cas(instruction.rmw)) {
      written = value(state, instruction.b);
      writes = expressions_.equal(old, a);
      if (instruction.rmw == RmwOp::kCas) result = expressions_.truth(writes, {});
    } else if (is_fetch(instruction.rmw)) {
      written = expressions_.fetch(instruction, old, a);
    }
    write(state, instruction.address, location, written, writes);
    assign(state, instruction.dest, thread, result);
  }

  const Overlay& overlay_;
  const Program& program_;
  const Unfolding& unfolding_;
  Arithmetic& arithmetic_;
  Circuit& circuit_;
  Expressions expressions_;
  std::map<uint32_t, State> open_;  // by node
  std::vector<Lit> alternatives_;
};

}  // namespace

Lit passable(const Overlay& overlay, const Unfolding& unfolding, uint32_t begin,
             const std::vector<NumberPtr>& registers, const std::vector<Number>& memory,
             Arithmetic& arithmetic) {
  return SectionEncoder(overlay, unfolding, arithmetic).run(begin, registers, memory);
}

}  // namespace fenceline::sat
