// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the pointers of flat functions may point to: an inclusion-based analysis (Andersen, 1994) that follows
// pointers through memory, field by field. An object is what an instruction allocates, a local variable or a
// global one; two threads that execute the same function share its objects here, and so do the iterations of a loop.
//
// A pointer is a set of targets. A target is a number of bytes into an object; a pointer that moves through an
// array is its first target or any multiple of the stride behind it. Numbers of 64 bits carry targets too, so marks
// in the low bits of pointers and counters in their high ones do not hide what they point to. What the
// analysis cannot track is `unknown`, which may be anything.
//
// The result is used to see in which pieces the memory of an allocation is accessed (shape.h), what may be
// accessed after it is gone, and how far an index may go. It is flow-insensitive.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace fenceline::frontend::c {

struct Target {
  uint32_t object;
  int64_t offset;
  int64_t stride;  // 0: exactly the offset; else that or a multiple of the stride more

  friend auto operator<=>(const Target&, const Target&) = default;

  // The least offset that is not before the object.
  int64_t first() const {
    return stride == 0 || offset >= 0 ? offset : ((offset % stride) + stride) % stride;
  }
};

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
  // The accesses to what `origin` is or allocates.
  const std::vector<Access>& accesses(const llvm::Value& origin) const;
  // Is the address of it stored somewhere in memory?
  bool is_stored(const llvm::Value& origin) const;
  // Is there an access through a pointer that could not be tracked?
  bool has_unknown_accesses() const { return unknown_accesses_; }

 private:
  struct Cell : Targets {
    uint64_t changed = 0;  // as changes_, when it grew last
  };
  using Content = std::map<std::pair<int64_t, int64_t>, Cell>;  // by offset and stride

  uint32_t add_object(const llvm::Value& origin, uint64_t size);
  void add_initial(uint32_t object, int64_t offset, const llvm::Constant& value);
  void add_global(const llvm::GlobalVariable& variable);
  void add_globals_of(const llvm::Constant& constant);
  void find_objects(const llvm::Function& function);
  bool is_settled(const llvm::Instruction& instruction);
  void visit(const llvm::Instruction& instruction);
  void visit_call(const llvm::CallBase& call);
  void copy(const llvm::CallBase& call);
  void record(const llvm::Instruction& instruction);

  Targets load(const Targets& from, uint64_t bytes) const;
  void store(const Targets& to, const Targets& value, uint64_t bytes);
  Targets element(const llvm::GEPOperator& gep) const;
  void round_down(const Target& t, int64_t multiple, bool is_address, Targets& result) const;
  Targets arithmetic(unsigned opcode, const llvm::Value& left, const llvm::Value& right) const;
  void flow(const llvm::Value& into, const Targets& from);
  bool merge(Targets& into, const Targets& from);

  const llvm::DataLayout& layout_;
  std::vector<Object> objects_;
  std::map<const llvm::Value*, uint32_t> numbers_;
  std::map<const llvm::Value*, Targets> values_;
  std::vector<Content> contents_;
  Targets anywhere_;  // what was stored through a pointer that could not be tracked
  Targets returned_;  // by threads
  std::map<const llvm::Value*, std::vector<Access>> accesses_;
  bool changed_ = false, unknown_accesses_ = false;
  // When what is known of a value or of the contents of an object grew last, and when an instruction was visited: so
  // many changes had there been then.
  uint64_t changes_ = 0, anywhere_changed_ = 0;
  uint64_t since_ = 0;  // a load needs to look at what has changed since then
  std::unordered_map<const llvm::Value*, uint64_t> value_changed_, visited_;
  std::vector<uint64_t> contents_changed_;
};

}  // namespace fenceline::frontend::c
