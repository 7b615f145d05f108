// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/deferral_queue/symmetry.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

namespace fenceline::machine::queue {
namespace {

constexpr size_t kMostThreads = 4;  // the orders of so many are tried one by one

// By thread, the constants at the same point of the code of each; none if one is no constant.
std::optional<std::vector<Value>> constants(const Program& program, size_t point, auto expression_of) {
  std::vector<Value> values;
  for (const Thread& thread : program.threads) {
    const ExprId id = expression_of(thread.code[point]);
    if (!id.valid() || program.expr(id).op != ExprOp::kConst) return std::nullopt;
    values.push_back(program.expr(id).imm);
  }
  return values;
}

bool all_equal(const std::vector<Value>& values) {
  return std::all_of(values.begin(), values.end(), [&](Value value) { return value == values.front(); });
}

// Without comparing expressions.
bool alike(const Instruction& x, const Instruction& y) {
  return x.kind == y.kind && x.next == y.next && x.rmw == y.rmw && x.wrap == y.wrap &&
         (!x.is_memory_access() || x.address.object == y.address.object);
}

bool all_alike(const Program& program) {
  const Thread& first = program.threads.front();
  return std::all_of(program.threads.begin(), program.threads.end(), [&](const Thread& thread) {
    return thread.entry == first.entry &&
           std::equal(thread.code.begin(), thread.code.end(), first.code.begin(), first.code.end(), alike);
  });
}

}  // namespace

ThreadSymmetry::ThreadSymmetry(const Program& program) : thread_numbers_(program.cell_count) {
  ThreadPermutation same;
  same.thread.resize(program.threads.size());
  std::iota(same.thread.begin(), same.thread.end(), 0U);
  same.original = same.thread;
  same.cell.resize(program.cell_count);
  std::iota(same.cell.begin(), same.cell.end(), 0U);
  permutations_.push_back(std::move(same));
  if (program.threads.size() > 1 && program.threads.size() <= kMostThreads && all_alike(program))
    find_permutations(program);
  compose_permutations();
  locals_.assign(permutations_.size(), std::vector<Renumbering>(program.threads.size()));
  histories_.resize(permutations_.size());
}

void ThreadSymmetry::find_permutations(const Program& program) {
  std::vector<std::vector<uint32_t>> own_cells;  // each by thread
  for (size_t point = 0; point < program.threads.front().code.size(); ++point) {
    const Instruction& instruction = program.threads.front().code[point];
    if (!instruction.is_memory_access()) continue;
    const Object& object = program.object(instruction.address.object);
    const auto offsets = constants(program, point, [](const Instruction& i) { return i.address.offset; });
    if (offsets && !all_equal(*offsets)) {
      std::vector<uint32_t>& cells = own_cells.emplace_back();
      for (const Value offset : *offsets) {
        if (offset < 0 || offset >= static_cast<Value>(object.size())) return;
        cells.push_back(object.first_cell.value() + static_cast<uint32_t>(offset));
      }
    }
    for (const auto operand : {&Instruction::a, &Instruction::b}) {
      const auto stored = constants(program, point, [operand](const Instruction& i) { return i.*operand; });
      if (!stored || all_equal(*stored)) continue;
      if (std::set<Value>(stored->begin(), stored->end()).size() != stored->size()) return;
      for (uint32_t i = 0; i < object.size(); ++i) thread_numbers_[object.first_cell.index() + i] = *stored;
    }
  }

  const std::vector<Value> memory = program.initial_memory();
  ThreadPermutation permutation = permutations_.front();
  while (std::next_permutation(permutation.thread.begin(), permutation.thread.end())) {
    for (uint32_t t = 0; t < permutation.thread.size(); ++t) permutation.original[permutation.thread[t]] = t;
    for (const std::vector<uint32_t>& cells : own_cells)
      for (uint32_t t = 0; t < cells.size(); ++t) permutation.cell[cells[t]] = cells[permutation.thread[t]];
    permutations_.push_back(permutation);
    std::vector<bool> taken(memory.size(), false);
    for (uint32_t cell = 0; cell < memory.size(); ++cell) {
      const uint32_t to = permutation.cell[cell];
      if (taken[to] || memory[to] != value(permutations_.size() - 1, cell, memory[cell])) {
        permutations_.resize(1);
        return;
      }
      taken[to] = true;
    }
  }
}

void ThreadSymmetry::compose_permutations() {
  for (const ThreadPermutation& first : permutations_)
    for (const ThreadPermutation& then : permutations_) {
      std::vector<uint32_t> both;
      for (const uint32_t thread : first.thread) both.push_back(then.thread[thread]);
      const auto found =
          std::find_if(permutations_.begin(), permutations_.end(),
                       [&](const ThreadPermutation& permutation) { return permutation.thread == both; });
      composed_.push_back(static_cast<size_t>(found - permutations_.begin()));
    }
}

Value ThreadSymmetry::value(size_t permutation, uint32_t cell, Value value) const {
  const std::vector<Value>& numbers = thread_numbers_[cell];
  for (size_t t = 0; t < numbers.size(); ++t)
    if (numbers[t] == value) return numbers[permutations_[permutation].thread[t]];
  return value;
}

uint32_t ThreadSymmetry::counterpart(size_t permutation, size_t thread, uint32_t local) const {
  const std::lock_guard lock(mutex_);
  const Renumbering& numbers = locals_[permutation][thread];
  return local < numbers.size() ? numbers[local] : kNone;
}

void ThreadSymmetry::set_counterparts(size_t thread, const std::vector<uint32_t>& all) {
  const std::lock_guard lock(mutex_);
  for (size_t first = 0; first < all.size(); ++first)
    for (size_t then = 0; then < all.size(); ++then) {
      uint32_t& known = entry(locals_[then][permutations_[first].thread[thread]], all[first]);
      const uint32_t counterpart = all[composed(first, then)];
      if (known != kNone && known != counterpart)
        throw NotSymmetric("a local state has two counterparts in the same thread");
      known = counterpart;
    }
}

uint32_t& ThreadSymmetry::entry(Renumbering& numbers, uint32_t at) {
  if (at >= numbers.size()) numbers.resize(std::max<size_t>(at + 1, 2 * numbers.size()), kNone);
  return numbers[at];
}

uint32_t ThreadSymmetry::history(size_t permutation, uint32_t state) const {
  const std::lock_guard lock(mutex_);
  const Renumbering& numbers = histories_[permutation];
  return state < numbers.size() ? numbers[state] : kNone;
}

void ThreadSymmetry::set_histories(const std::vector<uint32_t>& all) {
  const std::lock_guard lock(mutex_);
  for (size_t first = 0; first < all.size(); ++first)
    for (size_t then = 0; then < all.size(); ++then) {
      uint32_t& known = entry(histories_[then], all[first]);
      if (known == kNone) known = all[composed(first, then)];
    }
}

}  // namespace fenceline::machine::queue
