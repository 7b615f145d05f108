// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/enumeration/possible_values.h"

#include <algorithm>
#include <cstdint>

#include "base/value_set.h"
#include "ir/analysis/constructs.h"
#include "ir/analysis/value_propagation.h"

namespace fenceline::engine {
namespace {

class Collection : public ValuePropagation<Collection> {
  friend ValuePropagation<Collection>;

 public:
  explicit Collection(const Overlay& overlay) : ValuePropagation(overlay.program()), overlay_(overlay) {
    for (const Value value : program_.initial_memory()) cells_.push_back(ValueSet::single(value));
  }

  std::optional<check::CellValues> run() {
    const bool loops = has_loops(program_);
    for (size_t stores = loops ? SIZE_MAX : number_of_stores(); stores > 0; --stores) {
      stored_ = cells_;
      for (size_t thread = 0; thread < program_.threads.size(); ++thread)
        if (!collect(ThreadId(thread), loops)) return std::nullopt;
      if (stored_ == cells_) break;
      cells_ = stored_;
      if (std::any_of(cells_.begin(), cells_.end(), too_many)) return std::nullopt;
    }
    check::CellValues values;
    for (const ValueSet& cell : cells_) values.push_back(cell.members());
    return values;
  }

 private:
  static bool too_many(const ValueSet& values) { return !values.is_empty() && !values.is_small(); }

  size_t number_of_stores() const {
    size_t stores = 0;
    for (const Thread& thread : program_.threads)
      stores += static_cast<size_t>(
          std::count_if(thread.code.begin(), thread.code.end(),
                        [](const Instruction& instruction) { return instruction.writes_memory(); }));
    return stores;
  }

  // What the thread can store if its loads return what is in cells_. Without loops each instruction is executed
  // once at most, so as many sweeps over all of them as there are suffice. False: its registers have too many
  // values.
  bool collect(ThreadId thread, bool loops) {
    thread_ = thread;
    registers_.clear();
    for (const Register& reg : program_.thread(thread).registers)
      registers_.push_back(ValueSet::single(reg.init));
    const size_t points = overlay_.points(thread);
    for (size_t sweep = 0; loops || sweep < points; ++sweep) {
      const std::vector<ValueSet> before = registers_;
      for (size_t point = 0; point < points; ++point) apply(overlay_.at(thread, Point(point)));
      if (registers_ == before) return true;
      if (loops && std::any_of(registers_.begin(), registers_.end(), too_many)) return false;
    }
    return true;
  }

  const ValueSet& register_values(RegId reg) const { return registers_[reg.index()]; }
  const ValueSet& loaded_from(size_t cell) const { return cells_[cell]; }

  // What is outside of the declared range is an error, and not stored.
  void store(const Address& address, ValueSet stored) {
    if (const auto& declared = program_.object(address.object).declared) stored = stored.meet(*declared);
    if (stored.is_empty()) return;
    for_cells(address, [&](size_t cell) { stored_[cell] = stored_[cell].join(stored); });
  }

  // An element of an array may be any of them.
  void assign(const Dest& dest, const ValueSet& value) {
    if (!dest.valid()) return;
    for (uint32_t element = 0; element < dest.count; ++element) {
      const size_t reg = dest.reg.index() + element;
      const auto& declared = program_.thread(thread_).registers[reg].declared;
      registers_[reg] = registers_[reg].join(declared ? value.meet(*declared) : value);
    }
  }

  const Overlay& overlay_;
  std::vector<ValueSet> cells_, stored_;  // by cell: at the beginning of the iteration, and so far
  ThreadId thread_;
  std::vector<ValueSet> registers_;  // of that thread
};

}  // namespace

std::optional<check::CellValues> possible_values(const Overlay& overlay) { return Collection(overlay).run(); }

}  // namespace fenceline::engine
