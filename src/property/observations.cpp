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

namespace fenceline::property {
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

// One alternative of an operation that has not ended.
struct Branch {
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
        interpreter_(program),
        liveness_(program, {observed.begin(), observed.end()}, {}) {
    for (const Object& object : program.objects)
      for (uint32_t i = 0; i < object.size(); ++i)
        if (object.cell_bytes.empty() || object.cell_bytes[i] != 0)
          cells_.push_back(object.first_cell.index() + i);
  }

  SerialObservations run() {
    WholeState first;
    for (size_t i = 0; i < program_.threads.size(); ++i)
      first.threads.push_back(interpreter_.begin(ThreadId(i)));
    first.memory = program_.initial_memory();
    visit(std::move(first));
    while (!open_.empty() && result_.found.size() < enough_ && within_limits()) {
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
  bool within_limits() {
    if (!result_.error.empty() || !result_.unfinished.empty()) return false;
    constexpr uint64_t kStatesBetweenPolls = 4096;  // of the memory of the process, which takes a while
    const LimitReached limit =
        ++polls_ % kStatesBetweenPolls == 0 ? env_.limits.poll_process() : env_.limits.poll();
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

  // The thread executes its next operation, as a whole, along all alternatives.
  void operation(ThreadId thread, const WholeState& before) {
    const uint32_t number = next(thread, before).operation;
    std::vector<Branch> branches{{before, 0, {}, nullptr}};
    while (!branches.empty() && within_limits()) {
      Branch branch = std::move(branches.back());
      branches.pop_back();
      for (;;) {
        if (++branch.steps > kLongestOperation) {
          result_.unfinished = "an operation that runs alone has not ended after many steps";
          return;
        }
        if (repeats_state(thread, branch)) break;
        const uint64_t choices = interpreter_.alternatives(thread, branch.state.threads[thread.index()]);
        if (choices > 4096) {
          result_.unfinished = "there are too many values to choose from";
          return;
        }
        for (uint64_t choice = 1; choice < choices; ++choice) {
          Branch other = branch;
          if (advance(thread, other.state, choice))
            continue_branch(thread, number, std::move(other), branches);
        }
        if (!advance(thread, branch.state, 0)) break;
        if (has_ended(thread, branch.state) || next(thread, branch.state).operation != number) {
          visit(std::move(branch.state));
          break;
        }
      }
    }
  }

  // The state was there before, so this branch does not end; the others that begin there are explored anyway.
  // Brent's algorithm: the state to compare with is the latest one after 2^k steps.
  bool repeats_state(ThreadId thread, Branch& branch) const {
    if (branch.steps < kLongOperation) return false;
    const Point at = branch.state.threads[thread.index()].at;
    if (branch.earlier != nullptr && at == branch.earlier_at && packed(branch.state) == *branch.earlier)
      return true;
    if (std::has_single_bit(branch.steps)) {
      branch.earlier_at = at;
      branch.earlier = std::make_shared<const std::vector<Value>>(packed(branch.state));
    }
    return false;
  }

  void continue_branch(ThreadId thread, uint32_t number, Branch branch, std::vector<Branch>& branches) {
    if (has_ended(thread, branch.state) || next(thread, branch.state).operation != number)
      visit(std::move(branch.state));
    else
      branches.push_back(std::move(branch));
  }

  // False if this branch ends here.
  bool advance(ThreadId thread, WholeState& state, uint64_t choice) {
    const Point at = state.threads[thread.index()].at;
    std::string why;
    switch (interpreter_.step(thread, state.threads[thread.index()], state.memory, choice, why)) {
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
  SequentialInterpreter interpreter_;
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
      columns_.push_back(add({.op = ExprOp::kThreadReg, .reg = reg.reg, .thread = reg.thread}));
    }
  }

  // Some observation of the range, from this column on. They are sorted, so those with the same value are
  // consecutive, and what they have in common is tested once.
  ExprId any(std::span<const Observation* const> rows, size_t column) {
    if (column == columns_.size()) return constant(1);
    std::vector<ExprId> alternatives;
    for (size_t begin = 0; begin < rows.size();) {
      size_t end = begin;
      const Value value = (*rows[begin])[column];
      while (end < rows.size() && (*rows[end])[column] == value) ++end;
      const ExprId here = binary(ExprOp::kEq, columns_[column], constant(value));
      const ExprId later = any(rows.subspan(begin, end - begin), column + 1);
      alternatives.push_back(column + 1 == columns_.size() ? here : binary(ExprOp::kAnd, here, later));
      begin = end;
    }
    return either(alternatives);
  }

  ExprId constant(Value value) { return add({.imm = value}); }

 private:
  ExprId add(const Expr& expr) {
    program_.exprs.push_back(expr);
    return ExprId(program_.exprs.size() - 1);
  }
  ExprId binary(ExprOp op, ExprId a, ExprId b) { return add({.op = op, .a = a, .b = b}); }
  ExprId either(std::span<const ExprId> alternatives) {
    if (alternatives.size() == 1) return alternatives[0];
    const size_t half = alternatives.size() / 2;
    const ExprId first = either(alternatives.first(half)), second = either(alternatives.subspan(half));
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

}  // namespace fenceline::property
