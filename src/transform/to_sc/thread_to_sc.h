// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reduces one thread to SC, point by point (see to_sc.h).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/edit/overlay.h"
#include "transform/to_sc/accessed_cells.h"
#include "transform/to_sc/buffer_code.h"
#include "transform/to_sc/empty_buffers.h"

namespace fenceline::transform {

// Expressions of the original in the program that is built.
class ExprCopy {
 public:
  ExprCopy(const Program& source, ProgramBuilder& builder) : source_(source), b_(builder) {}

  // Invalid for an invalid one. Precondition: no property.
  ExprId operator()(ExprId id);

 private:
  const Program& source_;
  ProgramBuilder& b_;
  std::map<ExprId, ExprId> done_;
};

// What all threads have in common.
struct ReductionToSc {
  const Overlay& overlay;
  const AccessedCells& accessed;
  const EmptyBuffers& empty;
  Buffering buffering;
  ProgramBuilder& builder;
  ExprCopy& copy;
  std::vector<BufferVariables> buffers;  // by thread
  ObjectId overflow;
  std::map<std::pair<ThreadId, Point>, ObjectId> remembered;  // what was chosen last
};

class ThreadToSc {
 public:
  using Label = ThreadBuilder::Label;

  // Precondition: the registers of the original thread are those of the builder.
  ThreadToSc(const ReductionToSc& all, ThreadId id, ThreadBuilder& thread);

  void run();

  // By point of the Overlay: the program counters that count as being at the point. None inside atomic
  // sections, and for unreachable points.
  const std::vector<std::vector<Label>>& locations() const { return locations_; }
  // By point: where its code begins; where flushes happen, the choice. Invalid for unreachable points.
  const std::vector<Label>& starts() const { return starts_; }
  // The names of the registers that were added to the thread's own.
  const std::vector<std::string>& temporaries() const { return code_.temporaries(); }

 private:
  using Queues = BufferCode::Queues;

  void find_reached();
  void add_location(Point point);  // of what is emitted next
  void translate(Point point);
  void flush_loop(Point point);
  void instruction(Point point, const Instruction& in);
  void fence(Point point, const Instruction& in);
  void load(Point point, const Instruction& in);
  void rmw(Point point, const Instruction& in);
  void buffered_store(Point point, const Instruction& in);
  void store_in_section(Point point, const Instruction& in);
  void halt(Point point, const Instruction& in);
  void unchanged(const Instruction& in);
  void begin_section(Point point, const Instruction& in);
  void end_section(Point point, const Instruction& in);

  const std::vector<CellId>& pending(Point point) const { return all_.empty.pending(id_, point); }
  Queues queues(Point point) const { return own_.holding(pending(point)); }
  bool per_thread() const { return all_.buffering == Buffering::kPerThread; }
  std::vector<CellId> pending_among(Point point, const std::vector<CellId>& cells) const;
  void wait_for_cell(Point point, const Instruction& in);
  void check_address(const Instruction& in, const AccessedCells::Access& access);
  ExprId stored_value(const Instruction& in);
  ExprId number_of(const Instruction& in);
  Dest dest_of(const Instruction& in);
  Address address_of(const Instruction& in);
  template <class F>
  void for_each_case(const Instruction& in, const std::vector<CellId>& cells, bool all, Label done,
                     const F& emit);

  const ReductionToSc& all_;
  const ThreadId id_;
  ProgramBuilder& b_;
  ThreadBuilder& t_;
  const BufferVariables& own_;
  BufferCode code_;
  const std::vector<bool> inside_;
  std::vector<bool> reached_;
  std::vector<Label> starts_;
  std::vector<std::vector<Label>> locations_;
};

}  // namespace fenceline::transform
