// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program made ready for one memory model: fences reduced to what they do on that model, operands
// that are constants or registers distinguished from real expressions, registers of all threads numbered
// through. Everything the inner loop looks at is here; the IR is consulted only for rare things.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/edit/overlay.h"
#include "ir/eval.h"
#include "model/memory_model.h"

namespace fenceline::machine {

// What is left of a fence on a store-buffer machine. docs/semantics.md, "Partial fences".
enum class FenceEffect : uint8_t {
  kNothing,
  kDrain,     // possible only when the thread's buffers are empty
  kBarrier,   // earlier entries are flushed before later ones
  kMark,      // no load until the present entries are flushed
  kDrainAll,  // possible only when the buffers of all threads are empty: sync
  kMonitor,   // nothing: a monitored position, where synthesis could put a fence
};

FenceEffect fence_effect(FenceKinds kinds, Buffering buffering);

struct Operand {
  enum class Kind : uint8_t { kConstant, kRegister, kExpression } kind = Kind::kConstant;
  Value constant = 0;
  uint32_t reg = 0;  // flat
  ExprId expr;
};

struct Operation {
  InstrKind kind = InstrKind::kHalt;
  RmwOp rmw = RmwOp::kCas;
  int8_t wrap = 0;  // of a kFetch...
  FenceEffect fence = FenceEffect::kNothing;
  std::vector<Point> next;
  Operand a, b;

  // Memory accesses. The cell is first_cell + offset.
  Operand offset;
  uint32_t first_cell = 0;
  uint32_t cells = 0;
  const uint8_t* cell_bytes = nullptr;  // by offset; null if all cells are there, for any access
  uint8_t bytes = 0;
  Range cell_range;  // declared; storing anything else is an error

  // Results. The register is dest + dest_index.
  bool has_dest = false;
  uint32_t dest = 0;  // flat
  uint32_t dest_count = 1;
  Operand dest_index;
  Range dest_range;  // declared

  Range havoc_range;
  bool section_only_reads = false;  // kAtomicBegin
  bool ends_program = false;        // kHalt

  // Object::admits, for an offset inside the object.
  bool admits(uint32_t at) const {
    return cell_bytes == nullptr || (cell_bytes[at] != 0 && (bytes == 0 || bytes == cell_bytes[at]));
  }
};

class Code {
 public:
  Code(const Overlay& overlay, const MemoryModel& model);

  const Program& program() const { return overlay_.program(); }
  const Overlay& overlay() const { return overlay_; }
  Buffering buffering() const { return buffering_; }
  size_t threads() const { return operations_.size(); }
  const Operation& at(size_t thread, uint32_t pc) const { return operations_[thread][pc]; }
  // Precondition: an atomic section begins here. Does it neither write nor choose?
  bool only_reads(size_t thread, uint32_t pc) const { return operations_[thread][pc].section_only_reads; }
  size_t points(size_t thread) const { return operations_[thread].size(); }
  uint32_t first_register(size_t thread) const { return first_register_[thread]; }
  uint32_t registers() const { return first_register_.back(); }
  const uint32_t* first_registers() const { return first_register_.data(); }

  // The registers of all threads are in `registers`, by flat number.
  Evaluated value(size_t thread, const Operand& operand, const Value* registers) const {
    switch (operand.kind) {
      case Operand::Kind::kConstant:
        return {operand.constant};
      case Operand::Kind::kRegister:
        return {registers[operand.reg]};
      case Operand::Kind::kExpression:
        break;
    }
    const Value* own = registers + first_register_[thread];
    return evaluate(program(), operand.expr, [own](const Expr& leaf, Value index) {
      return own[leaf.reg.index() + static_cast<size_t>(index)];
    });
  }

 private:
  Operand compile(size_t thread, ExprId expr) const;
  Operation compile(size_t thread, Point point) const;
  bool section_only_reads(size_t thread, uint32_t begin) const;

  const Overlay& overlay_;
  Buffering buffering_;
  std::vector<uint32_t> first_register_;  // by thread, and the total
  std::vector<std::vector<Operation>> operations_;
};

}  // namespace fenceline::machine
