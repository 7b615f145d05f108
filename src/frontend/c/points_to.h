// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the pointers of flat functions may point to: an inclusion-based analysis (Andersen, 1994) that follows
// pointers through memory, field by field. An object is what an instruction allocates, a local variable or a
// global one; two threads that execute the same function share its objects here, and so do the iterations of a loop.
//
// A pointer is a set of targets (targets.h). Numbers of 64 bits carry targets too, so marks
// in the low bits of pointers and counters in their high ones do not hide what they point to. What the
// analysis cannot track is `unknown`, which may be anything. Here instructions become constraints;
// points_to_solver.h solves them.
//
// The result is used to see in which pieces the memory of an allocation is accessed (shape.h), what may be
// accessed after it is gone, and how far an index may go. It is flow-insensitive.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "frontend/c/points_to_solver.h"
#include "frontend/c/targets.h"

namespace fenceline::frontend::c {

struct Targets {
  std::set<Target> locations;
  bool unknown = false;
  std::set<const llvm::Function*> functions = {};

  bool empty() const { return locations.empty() && functions.empty() && !unknown; }
};

// So many bytes that an instruction loads, stores or exchanges; 0 if it does none of that.
uint64_t accessed_bytes(const llvm::Instruction& instruction, const llvm::DataLayout& layout);

// The address that it does so at. Precondition: accessed_bytes() is not 0.
const llvm::Value& accessed_pointer(const llvm::Instruction& instruction);

class PointsTo {
 public:
  struct Object {
    const llvm::Value* origin;  // the allocation, alloca or global variable
    uint64_t size;              // in bytes; 0: not known
  };
  // The instruction looks at so many bytes at these targets in an object.
  struct Access {
    int64_t offset, stride;
    uint64_t bytes;  // 0: as many as a copy has
    const llvm::Instruction* by;
  };

  // `functions` are flat, and all that are executed: also those that threads begin with.
  PointsTo(const std::vector<const llvm::Function*>& functions, const llvm::DataLayout& layout);

  Targets of(const llvm::Value& pointer) const;
  const Object& object(uint32_t number) const { return objects_[number]; }
  // It lies at a multiple of this, a power of two.
  uint64_t alignment(uint32_t object) const;
  // On any machine: that of its type.
  uint64_t declared_alignment(uint32_t object) const;
  // The accesses to what `origin` is or allocates.
  const std::vector<Access>& accesses(const llvm::Value& origin) const;
  // Is the address of it stored somewhere in memory?
  bool is_stored(const llvm::Value& origin) const;
  // Does nothing but this function access what the pointer points to?
  bool is_private(const llvm::Value& pointer, const llvm::Function& function) const;
  // Is there an access through a pointer that could not be tracked?
  bool has_unknown_accesses() const { return unknown_accesses_; }

 private:
  using Node = PointsToConstraints::Node;

  // What there is.
  uint32_t add_object(const llvm::Value& origin, uint64_t size);
  void add_initial(uint32_t object, int64_t offset, const llvm::Constant& value);
  void add_global(const llvm::GlobalVariable& variable);
  void add_globals_of(const llvm::Constant& constant);
  void find_objects(const llvm::Function& function);

  // Constraints.
  Node node(const llvm::Value& value);
  Node node_of(const Targets& targets);
  void flow(Node from, Node to, std::vector<AddressStep> steps = {});
  void visit(const llvm::Instruction& instruction);
  void visit_memory(const llvm::Instruction& instruction);
  void visit_value(const llvm::Instruction& instruction);
  void visit_call(const llvm::CallBase& call);
  void load(const llvm::Instruction& instruction, Node pointer, uint64_t alignment, bool parts);
  void store(Node pointer, Node value, uint64_t bytes, uint64_t alignment);
  void arithmetic(unsigned opcode, const llvm::Value& left, const llvm::Value& right, Node into);
  std::vector<AddressStep> steps_of(const llvm::GEPOperator& gep) const;

  Targets of_constant(const llvm::Constant& constant) const;
  Targets as_targets(const PointsToSolution::Set& set) const;
  void record(const llvm::Instruction& instruction);

  const llvm::DataLayout& layout_;
  std::vector<Object> objects_;
  std::map<const llvm::Value*, uint32_t> numbers_;
  std::map<const llvm::Value*, Node> nodes_;
  std::map<const llvm::Function*, uint32_t> function_numbers_;
  std::vector<const llvm::Function*> functions_;
  PointsToConstraints constraints_;
  Node returned_, unknown_;  // by threads; anything
  PointsToSolution solution_;
  std::vector<bool> is_stored_;  // by object
  std::map<const llvm::Value*, std::vector<Access>> accesses_;
  bool unknown_accesses_ = false;
};

}  // namespace fenceline::frontend::c
