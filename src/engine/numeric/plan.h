// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the analysis decides before it starts: which variables are tracked explicitly and which become
// dimensions of a numerical domain, which arrays are smashed, which program points are cut points, and where
// to widen.
//
// Explicit where finite. A variable with few values (by ranges of values over all executions) belongs to the
// partition of a state: two states that differ in it are never joined. Numerical domains are convex, and a
// flag that is 0 or 1 is the typical set that is not; so only integers without bound become dimensions. In
// the layout of the paper everything is a dimension, but for program counters and the booleans named here.
//
// Smashed arrays. An array that is accessed at offsets without bound (items[tail % 8]) would have to be split
// by offset at every access. If it is not small, one abstract value represents all its cells: the range of
// everything that is ever stored there. A load returns any value of it, and stores to it do not enter a
// buffer. Cells must have the same range for that: else the ranges of registers that cells are loaded into
// would be more precise than the smashed array, and a proof that uses them could not be checked.
//
// Cut points. Between two cut points the steps of a thread are local: they concern registers, and where
// stores are buffered, its own buffer, and smashed arrays. So it is enough to consider states in which all
// threads are at cut points. These are: accesses of memory that other threads can observe or that observe
// them, fences that wait, what can block (assume, and what was found to fail), what the property observes, and
// one point of each cycle.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/analysis/liveness.h"
#include "ir/analysis/ranges.h"
#include "ir/edit/overlay.h"
#include "task/task.h"

namespace fenceline::numeric {

enum class ArrayMode : uint8_t { kAuto, kExpand, kSmash };

struct PlanOptions {
  bool everything_numeric = false;        // the paper's layout
  std::vector<ObjectId> always_explicit;  // but for these
  ArrayMode arrays = ArrayMode::kAuto;
  // Where a step may fail, and the thread then is stuck. That is not known in advance: an analysis that
  // discovers it starts again with such a plan.
  std::set<std::pair<ThreadId, Point>> extra_cut_points;
};

class Plan {
 public:
  // Keeps references to the task.
  Plan(const Task& task, const PlanOptions& options);

  const Task& task() const { return task_; }
  const Program& program() const { return task_.program; }
  const Overlay& overlay() const { return overlay_; }
  Buffering buffering() const { return task_.model.buffering; }
  size_t threads() const { return program().threads.size(); }

  bool explicit_cell(CellId cell) const { return explicit_cells_[cell.index()]; }
  bool explicit_register(ThreadId thread, RegId reg) const {
    return explicit_registers_[thread.index()][reg.index()];
  }
  // None: the object is not smashed. Else what is ever stored in it.
  const std::optional<Range>& smashed(ObjectId object) const { return smashed_[object.index()]; }
  bool smashed_cell(CellId cell) const { return smashed(program().object_of(cell)).has_value(); }
  Range cell_range(CellId cell) const { return ranges_.cells[cell.index()]; }
  Range register_range(ThreadId thread, RegId reg) const {
    return ranges_.registers[thread.index()][reg.index()];
  }
  bool live(ThreadId thread, Point point, RegId reg) const;

  bool is_cut_point(ThreadId thread, Point point) const { return cut_points_[thread.index()][point.index()]; }
  const std::vector<std::vector<bool>>& cut_points() const { return cut_points_; }
  bool inside_section(ThreadId thread, Point point) const {
    return inside_section_[thread.index()][point.index()];
  }
  // Every cycle of the product of the threads has a state in which some thread is at one of these.
  bool loop_head(ThreadId thread, Point point) const { return heads_[thread.index()][point.index()]; }

  // Cells whose value in memory the formula of the property reads in every state.
  const std::vector<bool>& monitored_cells() const { return monitored_; }
  // The constants of the program and their neighbours, ascending: where widening may stop.
  const std::vector<Value>& thresholds() const { return thresholds_; }
  // The cells that an access can have.
  std::vector<CellId> cells_of(const Address& address) const;
  size_t numeric_variables() const;

 private:
  void choose_representation(const PlanOptions& options);
  void smash(ArrayMode mode);
  bool depends_on_dimensions(ThreadId thread, ExprId expr) const;
  void find_cut_points(const std::set<std::pair<ThreadId, Point>>& extra_cut_points);
  bool needs_cut_point(ThreadId thread, Point point) const;
  bool private_access(ThreadId thread, const Instruction& instruction) const;
  void cut_local_cycles();
  void find_loop_heads();
  void collect_thresholds();

  const Task& task_;
  Overlay overlay_;
  Ranges ranges_;
  Liveness liveness_;
  std::vector<bool> explicit_cells_;
  std::vector<std::vector<bool>> explicit_registers_;
  std::vector<std::optional<Range>> smashed_;
  std::vector<bool> monitored_;
  std::vector<std::vector<bool>> cut_points_, heads_;                      // by thread, point of the overlay
  std::vector<std::vector<bool>> monitored_points_, monitored_registers_;  // by thread
  std::vector<std::vector<bool>> inside_section_;                          // by thread, point
  std::vector<Value> thresholds_;
  bool marks_loads_ = false;  // some fence makes loads wait for stores that are pending already
};

}  // namespace fenceline::numeric
