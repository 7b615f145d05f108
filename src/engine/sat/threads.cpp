// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/threads.h"

#include <algorithm>
#include <map>

#include "engine/sat/cell_ranges.h"
#include "env/errors.h"
#include "ir/analysis/constructs.h"

namespace fenceline::sat {
namespace {

constexpr uint32_t kNone = Unfolding::kNone;

// What is known of a thread at some node.
struct State {
  std::vector<NumberPtr> registers;
  Dependencies control;
  uint32_t section = kNone;
};

class Registers : public Leaves {
 public:
  explicit Registers(const std::vector<NumberPtr>& registers) : registers_(registers) {}
  Number leaf(const Expr& expr, uint32_t element) override { return *registers_[expr.reg.index() + element]; }

 private:
  const std::vector<NumberPtr>& registers_;
};

// Two registers with the same one have the same value, whatever is known of it in each.
NumberPtr whole(const NumberPtr& number) { return number->whole != nullptr ? number->whole : number; }

NumberPtr narrowed(const NumberPtr& number, const ValueSet& values) {
  if (number->values.meet(values) == number->values) return number;
  Number result = Expressions::narrow(*number, values);
  result.whole = whole(number);
  return std::make_shared<Number>(std::move(result));
}

class ThreadEncoder {
 public:
  ThreadEncoder(const Overlay& overlay, const Unfolding& unfolding, const std::vector<ValueSet>& cells,
                const Liveness& liveness, const WaitLoops& wait_loops, const ThreadOptions& options,
                Arithmetic& arithmetic)
      : overlay_(overlay),
        program_(overlay.program()),
        unfolding_(unfolding),
        cells_(cells),
        liveness_(liveness),
        wait_loops_(wait_loops),
        options_(options),
        arithmetic_(arithmetic),
        circuit_(arithmetic.circuit()),
        expressions_(program_, arithmetic),
        behind_(unfolding.nodes().size()),
        branch_(unfolding.nodes().size()),
        at_header_(unfolding.nodes().size()),
        written_(unfolding.iterations().size()),
        previous_(unfolding.iterations().size(), kNone),
        kept_(unfolding.iterations().size()) {
    find_previous();
    encoded_.stops.resize(program_.threads.size());
    encoded_.taken.resize(unfolding.nodes().size());
    encoded_.reached.resize(unfolding.nodes().size(), kFalse);
  }

  EncodedThreads run() {
    for (uint32_t node = 0; node < unfolding_.nodes().size(); ++node) visit(node);
    require_one_kept();
    return std::move(encoded_);
  }

 private:
  const Unfolding::Node& node() const { return unfolding_.nodes()[here_]; }
  const Thread& thread() const { return program_.thread(node().thread); }

  void find_previous() {
    const std::vector<Unfolding::Iteration>& iterations = unfolding_.iterations();
    for (const Unfolding::Node& node : unfolding_.nodes())
      for (const Unfolding::Edge& edge : node.in) {
        if (edge.ends_iteration == kNone) continue;
        uint32_t next = node.iteration;
        while (next != kNone && iterations[next].loop != iterations[edge.ends_iteration].loop)
          next = iterations[next].outer;
        if (next != kNone) previous_[next] = edge.ends_iteration;
      }
  }

  void visit(uint32_t index) {
    here_ = index;
    arrive();
    encoded_.reached[index] = active_;
    encoded_.taken[index].assign(node().out.size(), kFalse);
    if (active_ == kFalse) return;
    if (node().beyond) {
      if (state_.section != kNone) throw Unsupported("a loop in an atomic section");
      return stop(StopReason::kBeyond, active_);
    }
    const Instruction& instruction = overlay_.at(node().thread, node().point);
    const bool header =
        node().iteration != kNone && unfolding_.iterations()[node().iteration].header == index;
    if (header) at_header_[index] = state_.registers;
    begin_at_reload();
    if (state_.section == kNone &&
        (header || instruction.kind == InstrKind::kAtomicBegin || options_.may_stop(node()))) {
      const Lit stops = circuit_.both(active_, circuit_.fresh());
      stop(StopReason::kAnywhere, stops);
      active_ = circuit_.both(active_, !stops);
    }
    execute(instruction);
    behind_[index] = std::move(state_);
  }

  // The thread comes here on one of the edges.
  void arrive() {
    active_ = kFalse;
    state_ = {};
    const uint32_t entry = unfolding_.entries()[node().thread.index()];
    if (here_ == entry) {
      for (const Register& reg : thread().registers)
        state_.registers.push_back(std::make_shared<Number>(expressions_.constant(reg.init)));
      active_ = kTrue;
    }
    for (const Unfolding::Edge& edge : node().in) {
      const Lit taken = encoded_.taken[edge.from][edge.slot];
      if (taken == kFalse) continue;
      const State& from = behind_[edge.from];
      const std::vector<NumberPtr>& registers =
          branch_[edge.from].empty() ? from.registers : branch_[edge.from][edge.slot];
      if (active_ == kFalse) {
        state_ = from;
        state_.registers = registers;
      } else {
        for (size_t i = 0; i < state_.registers.size(); ++i)
          if (live(i)) meet(state_.registers[i], taken, registers[i]);
        state_.control = choose(circuit_, taken, from.control, state_.control);
        require(state_.section == from.section, "paths meet inside and outside of an atomic section");
      }
      active_ = circuit_.either(active_, taken);
    }
  }

  // A register has this value if the thread has taken the edge, else the one that it had.
  void meet(NumberPtr& reg, Lit taken, const NumberPtr& other) {
    if (reg == other) return;
    if (const NumberPtr one = whole(reg); one == whole(other)) {
      const ValueSet both = reg->values.join(other->values);
      reg = both == reg->values ? reg : both == other->values ? other : narrowed(one, both);
      return;
    }
    reg = std::make_shared<Number>(expressions_.choose(taken, *other, *reg));
  }

  // May the register be read from here on?
  bool live(size_t reg) const {
    Point point = node().point;
    while (overlay_.inserted(node().thread, point)) point = overlay_.next(node().thread, point, 0);
    return liveness_.live(node().thread, point, RegId(reg));
  }

  // The expression has had such an outcome, or the thread is not here.
  void learn(ExprId id, const Outcome& outcome) {
    narrow_registers(
        program_, id, outcome,
        [&](RegId reg) -> const ValueSet& { return state_.registers[reg.index()]->values; },
        [&](RegId reg, const ValueSet& values) {
          if (values.is_empty()) {
            active_ = kFalse;
            return;
          }
          const NumberPtr old = state_.registers[reg.index()], now = narrowed(old, values);
          for (NumberPtr& copy : state_.registers)
            if (copy == old) copy = now;
        });
  }

  void execute(const Instruction& instruction) {
    switch (instruction.kind) {
      case InstrKind::kLoad:
        load(instruction);
        break;
      case InstrKind::kStore:
        store(instruction);
        break;
      case InstrKind::kRmw:
        rmw(instruction);
        break;
      case InstrKind::kFence:
        fence(instruction);
        break;
      case InstrKind::kAssign:
        if (const Expr& from = program_.expr(instruction.a);
            from.op == ExprOp::kReg && !instruction.dest.is_element() &&
            !thread().registers[instruction.dest.reg.index()].declared)
          state_.registers[instruction.dest.reg.index()] = state_.registers[from.reg.index()];
        else
          assign(instruction.dest, value_of(instruction.a));
        break;
      case InstrKind::kHavoc:
        havoc(instruction);
        break;
      case InstrKind::kBranch: {
        const Number condition = value_of(instruction.a);
        control(condition.depends);
        const Lit holds = expressions_.holds(condition), active = active_;
        const std::vector<NumberPtr> before = state_.registers;
        for (const uint32_t slot : {0U, 1U}) {
          state_.registers = before;
          active_ = circuit_.both(active, slot == 0 ? holds : !holds);
          learn(instruction.a, slot == 0 ? may_hold : may_not_hold);
          take_edge(slot, active_);
          branch_[here_].push_back(std::move(state_.registers));
        }
        return;
      }
      case InstrKind::kChoose: {
        for (uint32_t slot = 0; slot + 1 < node().out.size(); ++slot) {
          const Lit taken = circuit_.both(active_, circuit_.fresh());
          take_edge(slot, taken);
          active_ = circuit_.both(active_, !taken);
        }
        take_edge(static_cast<uint32_t>(node().out.size()) - 1, active_);
        return;
      }
      case InstrKind::kAssume: {
        const Number condition = value_of(instruction.a);
        if (instruction.branches) control(condition.depends);
        const Lit holds = expressions_.holds(condition);
        // An infeasible path through an atomic section is no path: the thread does not enter it.
        if (state_.section != kNone)
          circuit_.implies(active_, holds);
        else
          stop(StopReason::kBlocked, circuit_.both(active_, !holds));
        active_ = circuit_.both(active_, holds);
        learn(instruction.a, may_hold);
        break;
      }
      case InstrKind::kAssert:
        fail(!expressions_.holds(value_of(instruction.a)));
        learn(instruction.a, may_hold);
        break;
      case InstrKind::kAtomicBegin:
        state_.section = here_;
        break;
      case InstrKind::kAtomicEnd:
        state_.section = kNone;
        break;
      case InstrKind::kMark:
        break;
      case InstrKind::kHalt:
        stop(StopReason::kEnded, active_);
        return;
    }
    take_edge(0, active_);
  }

  // ---- Steps ----

  // The thread goes on to a successor. An iteration that ends with this and is idle is left out, or the one
  // that is kept.
  void take_edge(uint32_t slot, Lit taken) {
    encoded_.taken[here_][slot] = taken;
    if (taken == kFalse || !options_.omit_idle_iterations) return;
    const uint32_t to = node().out[slot];
    for (const Unfolding::Edge& edge : unfolding_.nodes()[to].in) {
      if (edge.from != here_ || edge.slot != slot || edge.ends_iteration == kNone) continue;
      const Unfolding::Iteration& iteration = unfolding_.iterations()[edge.ends_iteration];
      if (iteration.header == kNone || at_header_[iteration.header].empty()) continue;
      const Lit useful = does_something(edge.ends_iteration);
      if (options_.keep_one.contains({node().thread, iteration.loop})) {
        kept_[edge.ends_iteration].push_back(circuit_.both(taken, !useful));
        continue;
      }
      circuit_.implies(taken, useful);
      if (useful == kFalse) encoded_.taken[here_][slot] = kFalse;
    }
  }

  // An iteration may also begin with a load in the loop, and end where the thread comes to it again (wait_loops.h).
  void begin_at_reload() {
    if (!options_.omit_idle_iterations || !options_.dependencies || !options_.keep_one.empty()) return;
    if (state_.section != kNone || node().iteration == kNone || active_ == kFalse ||
        !wait_loops_.is_reload(node().thread, node().point))
      return;
    at_reload_[{node().point, node().iteration}] = {here_, state_.registers};
    const auto last = at_reload_.find({node().point, previous_[node().iteration]});
    if (last == at_reload_.end()) return;
    const auto& [there, before] = last->second;
    std::vector<Lit> something;
    for_each_change(before, wait_loops_.behind_fences(node().thread, node().point),
                    [&](RegId, Lit changed) { something.push_back(changed); });
    for (const uint32_t iteration : {previous_[node().iteration], node().iteration})
      for (const uint32_t write : written_[iteration]) something.push_back(encoded_.events[write].executed);
    circuit_.implies(circuit_.both(active_, encoded_.reached[there]), circuit_.any(std::move(something)));
  }

  // Is the iteration that leads from here to the head of its loop not idle?
  Lit does_something(uint32_t iteration) {
    const uint32_t header = unfolding_.iterations()[iteration].header;
    const Point at = wait_loops_.header(node().thread, unfolding_.iterations()[iteration].loop);
    std::vector<Lit> something;
    const auto add = [&](Effect effect) {
      if (effect.holds == kFalse) return;
      something.push_back(effect.holds);
      encoded_.effects.push_back(effect);
    };
    for_each_change(at_header_[header], at, [&](RegId reg, Lit changed) {
      add({iteration, changed, reg, std::nullopt});
    });
    if (std::find(something.begin(), something.end(), kTrue) != something.end()) return kTrue;
    for (const uint32_t write : written_[iteration])
      add({iteration, counts(write, iteration), std::nullopt, write});
    return circuit_.any(std::move(something));
  }

  // Calls f(register, literal): what it was at the point no longer is, in its value or in its dependencies, and counts.
  template <class F>
  void for_each_change(const std::vector<NumberPtr>& registers, Point at, const F& f) {
    for (size_t reg = 0; reg < state_.registers.size(); ++reg) {
      const Number &before = *registers[reg], &after = *state_.registers[reg];
      if (whole(state_.registers[reg]) == whole(registers[reg])) continue;
      if (!wait_loops_.counts(node().thread, at, RegId(reg))) continue;
      f(RegId(reg), !expressions_.equal(after, before));
      const Dependencies kept = wait_loops_.is_passed_on(node().thread, at, RegId(reg))
                                    ? after.depends
                                    : merge(circuit_, after.depends, state_.control);
      f(RegId(reg), loses_dependency(before.depends, kept));
    }
  }

  // Is what it stores read by no event outside of the iteration, wherever it stores it?
  bool is_dead(const SymbolicEvent& write, uint32_t iteration) const {
    const Point header = wait_loops_.header(write.thread, unfolding_.iterations()[iteration].loop);
    return std::all_of(write.cells.begin(), write.cells.end(), [&](const auto& where) {
      return wait_loops_.is_dead(write.thread, header, where.first);
    });
  }

  // Is the write executed, and does it leave something behind that the iteration did not find there?
  Lit counts(uint32_t write, uint32_t iteration) {
    const auto [entry, is_new] = counts_.emplace(std::pair(write, iteration), kFalse);
    if (!is_new) return entry->second;
    Lit result = encoded_.events[write].executed;
    if (options_.omit_dead_writes && is_dead(encoded_.events[write], iteration)) result = kFalse;
    const uint32_t read = encoded_.events[write].read_part;
    if (result == kFalse || read == kNone) return counts_[{write, iteration}] = result;
    const SameValue same = options_.same_value(*encoded_.events[write].instruction);
    if (same != SameValue::kCounts) {
      const Number &now = encoded_.events[write].value, &old = encoded_.events[read].value;
      Lit other = !expressions_.equal(now, old);
      if ((same != SameValue::kDoesNotCount || written_[iteration].size() > 1) && other != kTrue) {
        encoded_.read_inside.push_back({read, iteration, same, circuit_.fresh()});
        other = circuit_.either(other, encoded_.read_inside.back().holds);
      }
      result = circuit_.both(result, other);
    }
    return counts_[{write, iteration}] = result;
  }

  // The value is the same, but it no longer depends on a load on which it depended before. Without the
  // iteration it would, and a model could forbid that.
  Lit loses_dependency(const Dependencies& before, const Dependencies& after) {
    std::vector<Lit> lost;
    for (const Dependency& old : before) {
      const auto found = std::find_if(after.begin(), after.end(),
                                      [&](const Dependency& now) { return now.read == old.read; });
      lost.push_back(found == after.end() ? old.holds : circuit_.both(old.holds, !found->holds));
    }
    return circuit_.any(std::move(lost));
  }

  // Of the idle iterations of a thread, each is inside of the next one: of those inside of one iteration, and
  // of those inside of none, at most one contains idle ones or is idle.
  void require_one_kept() {
    if (options_.keep_one.empty()) return;
    const std::vector<Unfolding::Iteration>& iterations = unfolding_.iterations();
    std::vector<ThreadId> thread_of(iterations.size());
    for (const Unfolding::Node& node : unfolding_.nodes())
      for (uint32_t iteration = node.iteration; iteration != kNone; iteration = iterations[iteration].outer)
        thread_of[iteration] = node.thread;
    std::vector<std::vector<Lit>> inside(iterations.size()), outermost(program_.threads.size());
    for (size_t iteration = iterations.size(); iteration-- > 0;) {  // those inside come behind those outside
      std::vector<Lit> any = inside[iteration];
      circuit_.at_most_one(inside[iteration]);
      any.insert(any.end(), kept_[iteration].begin(), kept_[iteration].end());
      const Lit somewhere = circuit_.any(std::move(any));
      const uint32_t outer = iterations[iteration].outer;
      if (somewhere != kFalse)
        (outer == kNone ? outermost[thread_of[iteration].index()] : inside[outer]).push_back(somewhere);
    }
    std::vector<Lit> kept;
    for (const std::vector<Lit>& one : outermost) {
      circuit_.at_most_one(one);
      kept.insert(kept.end(), one.begin(), one.end());
    }
    if (options_.require_kept) circuit_.require({circuit_.any(std::move(kept))});
  }

  void stop(StopReason reason, Lit here) {
    if (here == kFalse) return;
    encoded_.stops[node().thread.index()].push_back({reason, here_, here, state_.registers});
  }

  // The step fails if this holds; then the thread stops before it.
  void fail(Lit fails) {
    const Lit failing = circuit_.both(active_, fails);
    if (failing == kFalse) return;
    // An atomic section is one step: it fails as a whole, and nothing in it has happened.
    if (state_.section != kNone && !options_.errors_in_sections)
      circuit_.require({!failing});
    else
      stop(StopReason::kError, failing);
    active_ = circuit_.both(active_, !failing);
  }

  Number value_of(ExprId id) {
    Registers registers(state_.registers);
    Expressions::Result result = expressions_.evaluate(id, registers);
    fail(result.fails);
    return std::move(result.number);
  }

  void control(const Dependencies& depends) {
    if (options_.dependencies) state_.control = merge(circuit_, state_.control, depends);
  }

  // Fails if the value is not in the declared range of the register.
  void assign(const Dest& dest, const Number& value) {
    if (!dest.valid()) return;
    const auto set = [&](size_t reg, Lit condition) {
      Number number = value;
      if (const auto& declared = thread().registers[reg].declared) {
        fail(circuit_.both(condition, !expressions_.within(value, *declared)));
        number = Expressions::narrow(number, *declared);
        if (number.values.is_empty()) number = expressions_.constant(0);
      }
      if (condition != kTrue) number = expressions_.choose(condition, number, *state_.registers[reg]);
      return std::make_shared<Number>(std::move(number));
    };
    if (!dest.is_element()) {
      state_.registers[dest.reg.index()] = set(dest.reg.index(), kTrue);
      return;
    }
    const Range inside{0, static_cast<Value>(dest.count) - 1};
    Number index = value_of(dest.index);
    fail(!expressions_.within(index, inside));
    index = Expressions::narrow(index, inside);
    std::vector<NumberPtr> changed = state_.registers;
    for (uint32_t i = 0; i < dest.count; ++i) {
      const Lit here = expressions_.is(index, i);
      if (here != kFalse) changed[dest.reg.index() + i] = set(dest.reg.index() + i, here);
    }
    state_.registers = std::move(changed);
  }

  void havoc(const Instruction& instruction) {
    const Range range = instruction.havoc_range;
    if (!range.bounded()) throw Unsupported("a value may leave 64 bits");
    const Number number = any_of(range);
    encoded_.havocs.emplace_back(here_, number);
    assign(instruction.dest, number);
  }

  // An event of the current instruction.
  SymbolicEvent event(EventKind kind, const Instruction& instruction) {
    SymbolicEvent event;
    event.kind = kind;
    event.thread = node().thread;
    event.node = here_;
    event.instruction = &instruction;
    event.executed = active_;
    event.section = state_.section;
    if (state_.section != kNone) {
      const Unfolding::Node& begin = unfolding_.nodes()[state_.section];
      event.in_section = !overlay_.at(begin.thread, begin.point).one_access;
      event.of_rmw = !event.in_section && parts_of_access(overlay_, begin.thread, begin.point).is_rmw();
    }
    if (options_.dependencies) event.control = state_.control;
    return event;
  }

  uint32_t append(SymbolicEvent event) {
    if (event.kind == EventKind::kWrite)
      for (uint32_t iteration = node().iteration; iteration != kNone;
           iteration = unfolding_.iterations()[iteration].outer)
        written_[iteration].push_back(static_cast<uint32_t>(encoded_.events.size()));
    encoded_.events.push_back(std::move(event));
    return static_cast<uint32_t>(encoded_.events.size() - 1);
  }

  // The cells that the access can have; the step fails where there is none.
  struct Location {
    std::vector<std::pair<CellId, Lit>> cells;
    ValueSet values;  // that these cells can hold
    Dependencies depends;
  };
  Location locate(const Address& address) {
    const Object& object = program_.object(address.object);
    Number offset = value_of(address.offset);
    const Range inside{0, static_cast<Value>(object.size()) - 1};
    fail(!expressions_.within(offset, inside));
    offset = Expressions::narrow(offset, inside);
    Location location;
    std::vector<Lit> somewhere;
    const auto add = [&](Value i) {
      if (!object.admits(i, address.bytes)) return;
      const Lit here = expressions_.is(offset, i);
      if (here == kFalse) return;
      const CellId cell(object.first_cell.index() + static_cast<size_t>(i));
      location.cells.emplace_back(cell, here);
      somewhere.push_back(here);
      location.values = location.values.join(cells_[cell.index()]);
    };
    offset.values.for_each_in(inside, add);
    if (!object.cell_bytes.empty()) fail(!circuit_.any(std::move(somewhere)));
    learn(address.offset, inside_of(object, address.bytes));
    location.depends = std::move(offset.depends);
    return location;
  }

  // Any number of the set. For a load this would follow from the stores, if there were no out-of-thin-air
  // values; but models may allow them, and all numbers are computed with no more bits than their sets need.
  Number any_of(const ValueSet& values) {
    Number number{arithmetic_.fresh(values), values, {}};
    arithmetic_.require_member(number.bits, values);
    return number;
  }

  Number fresh_read(const ValueSet& values, uint32_t event) {
    Number number = any_of(values);
    if (options_.dependencies) number.depends = {{event, kTrue}};
    return number;
  }

  void load(const Instruction& instruction) {
    Location location = locate(instruction.address);
    if (active_ == kFalse || location.cells.empty()) return;
    SymbolicEvent read = event(EventKind::kRead, instruction);
    read.cells = std::move(location.cells);
    read.address = std::move(location.depends);
    read.value = fresh_read(location.values, static_cast<uint32_t>(encoded_.events.size()));
    const Number value = read.value;
    append(std::move(read));
    assign(instruction.dest, value);
  }

  // Fails if the value is not in the declared range of the object, where `condition` holds.
  void check_stored(const Address& address, const Number& value, Lit condition = kTrue) {
    if (const auto& declared = program_.object(address.object).declared)
      fail(circuit_.both(condition, !expressions_.within(value, *declared)));
  }

  void store(const Instruction& instruction) {
    Location location = locate(instruction.address);
    Number value = value_of(instruction.a);
    check_stored(instruction.address, value);
    if (active_ == kFalse || location.cells.empty()) return;
    SymbolicEvent write = event(EventKind::kWrite, instruction);
    write.cells = std::move(location.cells);
    write.address = std::move(location.depends);
    write.data = value.depends;
    // What it reads itself is no dependency of a read-modify-write.
    if (write.of_rmw)
      std::erase_if(write.data, [&](const Dependency& dependency) {
        return encoded_.events[dependency.read].section == write.section;
      });
    write.value = std::move(value);
    append(std::move(write));
  }

  void rmw(const Instruction& instruction) {
    Location location = locate(instruction.address);
    const Number a = value_of(instruction.a);
    const Number b = is_cas(instruction.rmw) ? value_of(instruction.b) : Number();
    if (active_ == kFalse || location.cells.empty()) return;

    SymbolicEvent read = event(EventKind::kRead, instruction);
    read.cells = location.cells;
    read.address = location.depends;
    read.of_rmw = true;
    if (read.section == kNone) read.section = here_;
    const auto read_index = static_cast<uint32_t>(encoded_.events.size());
    read.value = fresh_read(location.values, read_index);
    const Number old = read.value;
    append(std::move(read));

    Number written, result = old;
    Lit writes = kTrue;
    switch (instruction.rmw) {
      case RmwOp::kCas:
      case RmwOp::kCasValue:
        written = b;
        writes = expressions_.equal(old, a);
        if (instruction.rmw == RmwOp::kCas)
          result = expressions_.truth(writes, merge(circuit_, old.depends, a.depends));
        break;
      case RmwOp::kXchg:
        written = a;
        break;
      case RmwOp::kFetchAdd:
      case RmwOp::kFetchAnd:
      case RmwOp::kFetchOr:
      case RmwOp::kFetchXor:
        written = expressions_.fetch(instruction, old, a);
        break;
    }
    check_stored(instruction.address, written, writes);
    assign(instruction.dest, result);  // before the write: if it fails, nothing has been written
    SymbolicEvent write = event(EventKind::kWrite, instruction);
    write.executed = circuit_.both(active_, writes);
    write.cells = std::move(location.cells);
    write.address = std::move(location.depends);
    write.data = merge(circuit_, a.depends, b.depends);
    write.of_rmw = true;
    if (write.section == kNone) write.section = here_;
    write.read_part = read_index;
    write.value = std::move(written);
    append(std::move(write));
  }

  void fence(const Instruction& instruction) { append(event(EventKind::kFence, instruction)); }

  const Overlay& overlay_;
  const Program& program_;
  const Unfolding& unfolding_;
  const std::vector<ValueSet>& cells_;
  const Liveness& liveness_;
  const WaitLoops& wait_loops_;
  const ThreadOptions& options_;
  Arithmetic& arithmetic_;
  Circuit& circuit_;
  Expressions expressions_;
  EncodedThreads encoded_;
  std::vector<State> behind_;  // by node: what holds when its instruction has been executed
  std::vector<std::vector<std::vector<NumberPtr>>> branch_;  // by node, for branches: registers by slot
  std::vector<std::vector<NumberPtr>> at_header_;  // by node, for heads of loops: the registers before it
  std::vector<std::vector<uint32_t>> written_;     // by iteration: its writes, as events
  std::map<std::pair<uint32_t, uint32_t>, Lit> counts_;  // by write and iteration
  std::vector<uint32_t> previous_;                       // by iteration: the one before it of the same loop
  // By reload and iteration: the node, and the registers before it.
  std::map<std::pair<Point, uint32_t>, std::pair<uint32_t, std::vector<NumberPtr>>> at_reload_;
  std::vector<std::vector<Lit>> kept_;  // by iteration: it is idle, and kept; by the edges that end it
  uint32_t here_ = 0;
  Lit active_ = kFalse;  // the thread is here and has not stopped
  State state_;
};

}  // namespace

EncodedThreads encode_threads(const Overlay& overlay, const Unfolding& unfolding,
                              const std::vector<ValueSet>& cells, const Liveness& liveness,
                              const WaitLoops& wait_loops, const ThreadOptions& options,
                              Arithmetic& arithmetic) {
  return ThreadEncoder(overlay, unfolding, cells, liveness, wait_loops, options, arithmetic).run();
}

}  // namespace fenceline::sat
