// SPDX-License-Identifier: GPL-3.0-or-later
#include "property/observations.h"

#include <algorithm>
#include <bit>
#include <ctime>
#include <limits>
#include <memory>
#include <unordered_set>

#include "base/hash.h"
#include "env/errors.h"
#include "ir/analysis/liveness.h"
#include "ir/sequential_interpreter.h"

namespace fenceline {
namespace {

constexpr uint64_t kLongestOperation = 100'000;  // steps: then nothing is known
constexpr uint64_t kLongOperation = 1024;        // steps: then it may be that it never ends

struct WholeState {
  std::vector<SequentialState> threads;
  std::vector<Value> memory;
};

struct HashOfValues {
  size_t operator()(const std::vector<Value>& values) const { return hash_array<Value>(values); }
};

// An operation on its way.
struct Way {
  WholeState state;
  uint64_t steps = 0;
  // A state that it was in before.
  Point earlier_at;
  std::shared_ptr<const std::vector<Value>> earlier;
};

class SerialSearch {
 public:
  // `enough`: so many observations.
  SerialSearch(const Program& program, std::span<const ThreadReg> observed, size_t enough, Env& env)
      : program_(program),
        observed_(observed),
        enough_(enough),
        env_(env),
        solo_(program),
        liveness_(program, {observed.begin(), observed.end()}, {}) {
    for (const Object& object : program.objects)
      for (uint32_t i = 0; i < object.size(); ++i)
        if (object.cell_bytes.empty() || object.cell_bytes[i] != 0)
          cells_.push_back(object.first_cell.index() + i);
  }

  SerialObservations run() {
    WholeState first;
    for (size_t i = 0; i < program_.threads.size(); ++i) first.threads.push_back(solo_.begin(ThreadId(i)));
    first.memory = program_.initial_memory();
    visit(std::move(first));
    while (!open_.empty() && result_.found.size() < enough_ && going_on()) {
      const WholeState state = std::move(open_.back());
      open_.pop_back();
      bool ended = true;
      for (size_t i = 0; i < state.threads.size(); ++i) {
        if (has_ended(ThreadId(i), state)) continue;
        ended = false;
        operation(ThreadId(i), state);
      }
      if (ended) observe(state);
    }
    result_.states = seen_.size();
    return std::move(result_);
  }

 private:
  bool going_on() {
    if (!result_.error.empty() || !result_.unfinished.empty()) return false;
    constexpr uint64_t kStatesBetweenLooks = 4096;  // at the memory of the process, which takes a while
    const LimitReached limit =
        ++polls_ % kStatesBetweenLooks == 0 ? env_.limits.poll_process() : env_.limits.poll();
    if (limit == LimitReached::kNone) return true;
    result_.unfinished = env_.limits.describe(limit);
    return false;
  }

  const Instruction& next(ThreadId thread, const WholeState& state) const {
    return program_.thread(thread).at(state.threads[thread.index()].at);
  }
  bool has_ended(ThreadId thread, const WholeState& state) const {
    return next(thread, state).kind == InstrKind::kHalt;
  }

  void visit(WholeState state) {
    if (seen_.insert(packed(state)).second) open_.push_back(std::move(state));
  }

  // All of it that can still matter: cells that exist, registers that are read again or observed.
  std::vector<Value> packed(const WholeState& state) const {
    std::vector<Value> all;
    for (const size_t cell : cells_) all.push_back(state.memory[cell]);
    for (size_t t = 0; t < state.threads.size(); ++t) {
      const SequentialState& thread = state.threads[t];
      all.push_back(static_cast<Value>(thread.at.index()));
      for (size_t reg = 0; reg < thread.registers.size(); ++reg)
        if (liveness_.live(ThreadId(t), thread.at, RegId(reg))) all.push_back(thread.registers[reg]);
    }
    return all;
  }

  void observe(const WholeState& state) {
    Observation observation;
    for (const ThreadReg& reg : observed_)
      observation.push_back(state.threads[reg.thread.index()].registers[reg.reg.index()]);
    result_.found.insert(std::move(observation));
  }

  // The thread does its next operation, as a whole, in all ways it can go.
  void operation(ThreadId thread, const WholeState& before) {
    const uint32_t number = next(thread, before).operation;
    std::vector<Way> ways{{before, 0, {}, nullptr}};
    while (!ways.empty() && going_on()) {
      Way way = std::move(ways.back());
      ways.pop_back();
      for (;;) {
        if (++way.steps > kLongestOperation) {
          result_.unfinished = "an operation that runs alone has not ended after many steps";
          return;
        }
        if (goes_round(thread, way)) break;
        const uint64_t choices = solo_.alternatives(thread, way.state.threads[thread.index()]);
        if (choices > 4096) {
          result_.unfinished = "there are too many values to choose from";
          return;
        }
        for (uint64_t choice = 1; choice < choices; ++choice) {
          Way other = way;
          if (advance(thread, other.state, choice)) follow(thread, number, std::move(other), ways);
        }
        if (!advance(thread, way.state, 0)) break;
        if (has_ended(thread, way.state) || next(thread, way.state).operation != number) {
          visit(std::move(way.state));
          break;
        }
      }
    }
  }

  // It is where it was before, so this way does not end; all others that begin there are followed anyway.
  // Brent's way to find that out: the state to come back to is the one after 2^k steps, the last of them.
  bool goes_round(ThreadId thread, Way& way) const {
    if (way.steps < kLongOperation) return false;
    const Point at = way.state.threads[thread.index()].at;
    if (way.earlier != nullptr && at == way.earlier_at && packed(way.state) == *way.earlier) return true;
    if (std::has_single_bit(way.steps)) {
      way.earlier_at = at;
      way.earlier = std::make_shared<const std::vector<Value>>(packed(way.state));
    }
    return false;
  }

  void follow(ThreadId thread, uint32_t number, Way way, std::vector<Way>& ways) {
    if (has_ended(thread, way.state) || next(thread, way.state).operation != number)
      visit(std::move(way.state));
    else
      ways.push_back(std::move(way));
  }

  // False if this way leads nowhere.
  bool advance(ThreadId thread, WholeState& state, uint64_t way) {
    const Point at = state.threads[thread.index()].at;
    std::string why;
    switch (solo_.step(thread, state.threads[thread.index()], state.memory, way, why)) {
      case SequentialInterpreter::Step::kOn:
        return true;
      case SequentialInterpreter::Step::kEnded:
      case SequentialInterpreter::Step::kBlocked:
        return false;
      case SequentialInterpreter::Step::kFailed:
        result_.error = why;
        result_.failing = thread;
        result_.at = at;
        return false;
      case SequentialInterpreter::Step::kOurLimit:
        result_.unfinished = why;
        return false;
    }
    throw Bug("a step that is none");
  }

  const Program& program_;
  std::span<const ThreadReg> observed_;
  size_t enough_;
  Env& env_;
  SequentialInterpreter solo_;
  Liveness liveness_;
  std::vector<size_t> cells_;  // those that exist
  uint64_t polls_ = 0;
  std::unordered_set<std::vector<Value>, HashOfValues> seen_;
  std::vector<WholeState> open_;
  SerialObservations result_;
};

class FormulaOf {
 public:
  FormulaOf(Program& program, std::span<const ThreadReg> observed) : program_(program) {
    for (const ThreadReg& reg : observed) {
      Expr expr;
      expr.op = ExprOp::kThreadReg;
      expr.thread = reg.thread;
      expr.reg = reg.reg;
      columns_.push_back(add(expr));
    }
  }

  // Some observation of the range, from this column on. They are sorted, so those with the same value stand
  // together, and what is common to them is asked once.
  ExprId any(std::span<const Observation* const> rows, size_t column) {
    if (column == columns_.size()) return constant(1);
    std::vector<ExprId> ways;
    for (size_t begin = 0; begin < rows.size();) {
      size_t end = begin;
      const Value value = (*rows[begin])[column];
      while (end < rows.size() && (*rows[end])[column] == value) ++end;
      const ExprId here = binary(ExprOp::kEq, columns_[column], constant(value));
      const ExprId rest = any(rows.subspan(begin, end - begin), column + 1);
      ways.push_back(column + 1 == columns_.size() ? here : binary(ExprOp::kAnd, here, rest));
      begin = end;
    }
    return either(ways);
  }

  ExprId constant(Value value) {
    Expr expr;
    expr.imm = value;
    return add(expr);
  }

 private:
  ExprId add(const Expr& expr) {
    program_.exprs.push_back(expr);
    return ExprId(program_.exprs.size() - 1);
  }
  ExprId binary(ExprOp op, ExprId a, ExprId b) {
    Expr expr;
    expr.op = op;
    expr.a = a;
    expr.b = b;
    return add(expr);
  }
  ExprId either(std::span<const ExprId> ways) {
    if (ways.size() == 1) return ways[0];
    const size_t half = ways.size() / 2;
    const ExprId first = either(ways.first(half)), second = either(ways.subspan(half));
    return binary(ExprOp::kOr, first, second);
  }

  Program& program_;
  std::vector<ExprId> columns_;
};

}  // namespace

SerialObservations serial_observations(const Program& program, std::span<const ThreadReg> observed,
                                       Env& env) {
  const std::clock_t start = std::clock();
  SerialObservations all = SerialSearch(program, observed, std::numeric_limits<size_t>::max(), env).run();
  all.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return all;
}

SerialObservations some_serial_observation(const Program& program, std::span<const ThreadReg> observed,
                                           Env& env) {
  return SerialSearch(program, observed, 1, env).run();
}

Property observations_property(Program& program, std::span<const ThreadReg> observed,
                               const std::set<Observation>& allowed, std::string name) {
  FormulaOf formula(program, observed);
  std::vector<const Observation*> rows;
  for (const Observation& row : allowed) rows.push_back(&row);
  Property property;
  property.name = std::move(name);
  property.kind = PropertyKind::kObservations;
  property.formula = rows.empty() ? formula.constant(0) : formula.any(rows, 0);
  return property;
}

}  // namespace fenceline
