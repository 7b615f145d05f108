// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lowers one flat function to code of a thread.
//
// LLVM's values that are computed from others become expressions, those that come from memory or from several
// blocks become registers. Two's complement is kept by wrapping: every number is the signed value of its
// bits, truth values are 0 and 1.
//
// A value that was never set may be copied; where it is used, an assertion says that it is not that.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <optional>
#include <set>

#include "frontend/c/assembly.h"
#include "frontend/c/bit_fields.h"
#include "frontend/c/library.h"
#include "frontend/c/lowering.h"
#include "frontend/c/shape.h"

namespace fenceline::frontend::c {

// The registers of a thread, for one function after the other: they need not keep what the last one left.
class RegisterPool {
 public:
  explicit RegisterPool(ThreadBuilder& thread) : thread_(thread) {}
  RegId take() {
    if (next_ == registers_.size()) registers_.push_back(thread_.temp());
    return registers_[next_++];
  }
  void release() { next_ = 0; }

 private:
  ThreadBuilder& thread_;
  std::vector<RegId> registers_;
  size_t next_ = 0;
};

// The bits of a scalar: an integer of at most 64 bits, or a pointer.
inline unsigned bit_width(const llvm::Type& type) {
  return type.isPointerTy() ? 64 : type.getIntegerBitWidth();
}
inline bool is_scalar(const llvm::Type& type) {
  return type.isPointerTy() || (type.isIntegerTy() && type.getIntegerBitWidth() <= 64);
}
// An integer of several words, and of whole bytes.
inline bool is_wide(const llvm::Type& type) {
  return type.isIntegerTy() && type.getIntegerBitWidth() > 64 && type.getIntegerBitWidth() % 8 == 0;
}

class Body {
 public:
  // `argument` is what the function gets for its (only) parameter, if it has one.
  Body(Lowering& lowering, ThreadBuilder& thread, RegisterPool& registers, const Call& call,
       std::optional<ExprId> argument);

  // Control falls through to what the thread does next.
  void lower();

 private:
  using Label = ThreadBuilder::Label;

  // Control.
  void block(const llvm::BasicBlock& block);
  void fold_phis(const llvm::BasicBlock& block);
  void reach(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
  void enter(const llvm::Instruction& from, const llvm::BasicBlock& to);
  void stop();  // nothing follows
  void outside_of_atomic(const llvm::Instruction& at, const char* what);
  bool is_retry(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const;
  void go(const llvm::BasicBlock& from, const llvm::BasicBlock& to, SourcePos pos);
  bool needs_edge_code(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const;
  SourcePos decided(SourcePos branch, const llvm::BasicBlock& yes, const llvm::BasicBlock* no) const;
  void terminator(const llvm::Instruction& instruction);

  // Values.
  ExprId value(const llvm::Value& value);
  ExprId used(const llvm::Value& value);    // as value(), and it is an error if it was never set
  ExprId copied(const llvm::Value& value);  // as value(), and it is a limitation if it is a mark by chance
  bool may_be_undefined(const llvm::Value& value);
  bool may_be_undefined(const llvm::Value& value, std::set<const llvm::Value*>& seen);
  void define(const llvm::Instruction& instruction, ExprId value);
  RegId result_register(const llvm::Instruction& instruction);
  ExprId wrapped(ExprId value, const llvm::Type& type);
  std::optional<Value> known(const llvm::Value& value);  // a constant, if that is all it can be

  // Instructions.
  void instruction(const llvm::Instruction& instruction);
  ExprId binary(const llvm::BinaryOperator& instruction);
  ExprId cleared_bits(const llvm::BinaryOperator& instruction, uint64_t mask);
  ExprId combined_bits(const llvm::BinaryOperator& instruction);
  ExprId read_bits(const llvm::Value& unit, uint64_t mask);
  ExprId is_whole(ExprId unit);  // all of its bits are set
  bool may_be_set_in_part(unsigned bits) const;
  ExprId shifted_right(ExprId a, ExprId b);
  ExprId unsigned_quotient(ExprId a, ExprId b, bool remainder);
  ExprId compare(const llvm::ICmpInst& instruction);
  ExprId cast(const llvm::CastInst& instruction);
  ExprId element_address(const llvm::Instruction& instruction);
  ExprId part(const llvm::ExtractValueInst& instruction);
  bool is_part_of_wide_exchange(const llvm::ExtractValueInst& instruction);
  void load(const llvm::LoadInst& instruction);
  void store(const llvm::StoreInst& instruction);
  void unset(const llvm::StoreInst& instruction);
  void exchange(const llvm::AtomicRMWInst& instruction);
  ExprId fetched(const llvm::AtomicRMWInst& instruction, ExprId old, ExprId operand);
  void fetch_by_exchange(const llvm::AtomicRMWInst& instruction, ExprId address, uint64_t bytes,
                         ExprId operand);
  void compare_exchange(const llvm::AtomicCmpXchgInst& instruction);
  struct Exchange {
    const llvm::AtomicCmpXchgInst& instruction;
    uint64_t bytes;
    ExprId address, expected, desired;
    MemoryOrder success, failure;
    RegId old, succeeded;  // the latter of weak ones only
    bool weak;             // may fail spuriously
  };
  void exchange_by_names(const Exchange& exchange);
  void exchange_with_fences(const Exchange& exchange);
  void set_succeeded(const Exchange& exchange, ExprId value);
  std::optional<ExprId> updated_value(const llvm::AtomicRMWInst& instruction, ExprId old, ExprId operand);
  void fence(const llvm::FenceInst& instruction);
  void variable(const llvm::AllocaInst& instruction);

  // Values in parts.
  struct Part {
    uint64_t offset;  // in bytes
    uint8_t bytes;
    ExprId value;
    bool may_be_undefined;
  };
  using Parts = std::vector<Part>;
  Parts parts(const llvm::Value& value);
  ExprId gathered(const Parts& parts, uint64_t begin, uint64_t bytes);
  Parts divided(const Parts& parts, const std::vector<Leaf>& pieces);
  void define_parts(const llvm::Instruction& instruction, Parts parts);
  ExprId word(const llvm::Value& value, unsigned index);  // 64 bits of a value that was set
  std::vector<ExprId> words(const llvm::Value& value);    // all of them
  void define_words(const llvm::Instruction& instruction, std::vector<ExprId> words);
  void extend_words(const llvm::Instruction& instruction);
  void shift_words(const llvm::BinaryOperator& instruction);
  bool wide_instruction(const llvm::Instruction& instruction);
  bool executes_alone() const;
  bool is_one_access(const llvm::Value& pointer, MemoryOrder order) const;
  template <class Pieces, class Emit>
  void in_either_order(const Pieces& pieces, const Emit& emit);
  // `emit` makes the pieces in the order that it gets: at once, or torn.
  template <class Pieces, class Emit>
  void access_pieces(const llvm::Instruction& instruction, const llvm::Value& pointer, MemoryOrder order,
                     const Pieces& pieces, const Emit& emit);
  ExprId part_address(ExprId address, uint64_t offset);
  Parts load_pieces(ExprId address, const std::vector<Leaf>& pieces, MemoryOrder order,
                    const AccessTags& tags);
  void store_pieces(ExprId address, const Parts& parts, MemoryOrder order,
                    const std::vector<std::string>& tags);
  void load_parts(const llvm::LoadInst& instruction, const std::vector<Leaf>& pieces);
  void store_parts(const llvm::StoreInst& instruction, const std::vector<Leaf>& pieces);
  void exchange_parts(const llvm::AtomicRMWInst& instruction, const std::vector<Leaf>& pieces);
  void compare_exchange_parts(const llvm::AtomicCmpXchgInst& instruction, const std::vector<Leaf>& pieces);

  // Calls.
  void call(const llvm::CallBase& call);
  void range_guard(const llvm::CallBase& call);
  void intrinsic(const llvm::CallBase& call);
  [[noreturn]] void assembly(const llvm::CallBase& call);
  void assembly_fence(const NamedFence& fence, const llvm::Value* behind_branch_on = nullptr);
  void lifetime(const llvm::IntrinsicInst& intrinsic);
  void fill(const llvm::CallBase& call);
  void copy(const llvm::CallBase& call);
  std::vector<Leaf> cells_of(const llvm::Value& pointer, uint64_t size, const char* what,
                             const llvm::CallBase& call);
  std::string text(const llvm::Value& value, const llvm::Instruction& user);

  // Calls of the library.
  void library(const llvm::CallBase& call, Library what);
  const llvm::Value& operand(const llvm::CallBase& call, unsigned index);
  ExprId truth(const llvm::CallBase& call, unsigned index);  // of an operand: 0 or 1
  void returns(const llvm::CallBase& call, Value value);
  void output(const llvm::CallBase& call);
  void assertion(const llvm::CallBase& call);
  void assumption(const llvm::CallBase& call);
  void wait(const llvm::CallBase& call);
  void failure(const llvm::CallBase& call);
  void exit_process();
  void abort_process();
  void nondet(const llvm::CallBase& call);
  void nondet_of_type(const llvm::CallBase& call);
  void named_fence(const llvm::CallBase& call);
  void one_sided_fence(const llvm::CallBase& call, FenceKinds kinds);
  void atomic_begin(const llvm::CallBase& call);
  void atomic_end(const llvm::CallBase& call);
  void observe(const llvm::CallBase& call);
  void retry();
  uint64_t constant_size(const llvm::CallBase& call, unsigned index);
  void allocate(const llvm::CallBase& call, uint64_t size, uint64_t alignment, Value initial);
  void allocate_into(const llvm::CallBase& call);
  void release(const llvm::CallBase& call);
  void create_thread(const llvm::CallBase& call, unsigned function);
  void start_thread(const llvm::CallBase& call, const llvm::Value& function, const llvm::Value& argument,
                    const llvm::Value* handle);
  void join_thread(const llvm::CallBase& call);
  void end_thread(const llvm::CallBase& call);
  void leave_result(const llvm::Value* result);  // of the thread, for the one that joins it
  void init_mutex(const llvm::CallBase& call);
  Value constant_bound(const llvm::CallBase& call, unsigned index);
  void take(const llvm::CallBase& call, Value low, Value high, Value difference);
  void try_lock(const llvm::CallBase& call);
  void unlock(const llvm::CallBase& call);

  // Accesses.
  void begin_to_count_failures();
  bool is_counted(const llvm::AtomicCmpXchgInst& exchange) const;
  void count_spurious_failure(ExprId equal);
  uint64_t access_size(const llvm::Type& type, const llvm::Instruction& user);
  MemoryOrder order_of(llvm::AtomicOrdering ordering) const;  // of the current instruction
  MemoryOrder assembly_order(MemoryOrder order) const;
  void tag(AccessTags tags) { thread_.tag(std::move(tags.tags), std::move(tags.write_tags)); }
  bool is_locked() const;
  FencesAround rmw_fences(MemoryOrder order) const;         // of the current instruction
  AccessTags rmw_tags(MemoryOrder order, bool pair) const;  // of the current instruction
  void emit_fence(FenceKinds kinds, SourcePos pos);
  void emit_isync();
  void check_cells(ExprId address, uint64_t bytes);
  std::vector<Leaf> cells_at(Value address, Value size, const char* what, const llvm::Instruction& user);
  void emit_load(RegId dest, ExprId address, uint64_t bytes, MemoryOrder order, SourcePos pos);
  void emit_store(ExprId address, uint64_t bytes, ExprId value, MemoryOrder order, SourcePos pos);
  ExprId emit_rmw(RmwOp op, RegId dest, ExprId address, uint64_t bytes, ExprId a, ExprId b, MemoryOrder order,
                  SourcePos pos);
  ExprId emit_rmw(RmwOp op, RegId dest, ExprId address, uint64_t bytes, ExprId a, ExprId b, MemoryOrder order,
                  const AccessTags& tags, FencesAround fences, SourcePos pos);
  void require_set(ExprId value, SourcePos pos);
  void require_whole(ExprId value);
  void require_no_mark(ExprId value);
  void require_not_freed(ExprId value, SourcePos pos);
  bool may_be_gone() const;  // what the current instruction accesses
  void check_tracked(const llvm::Value& pointer);
  void check_bounds(const llvm::Value& pointer, uint64_t bytes);
  void check_writable(const llvm::Value& pointer);
  void check_alignment(const llvm::Value& pointer, uint64_t alignment);
  void require_aligned(const llvm::Instruction& access, const llvm::Value& pointer);
  // A power of two.
  ExprId is_multiple(const llvm::Value& pointer, uint64_t of);

  ExprId number(Value value) { return builder_.constant(value); }
  ExprId op(ExprOp op, ExprId a, ExprId b) { return builder_.binary(op, a, b); }
  [[noreturn]] void reject(const llvm::Instruction& at, const std::string& feature,
                           const std::string& hint = "") {
    lowering_.unit().reject(at, feature, hint);
  }

  Lowering& lowering_;
  ProgramBuilder& builder_;
  ThreadBuilder& thread_;
  RegisterPool& registers_;
  const Call& call_;
  const llvm::Function& function_;
  std::optional<ExprId> argument_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  std::map<const llvm::BasicBlock*, Label> labels_;
  std::map<const llvm::BasicBlock*, size_t> order_;
  // Blocks to which control can come; where conditions are constants here, others are not lowered.
  std::set<const llvm::BasicBlock*> reached_;
  std::optional<RegId>
      spurious_failures_;  // so far, of exchanges that leave them behind (spurious_failures.h)
  std::set<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> edges_;  // between them
  std::set<const llvm::PHINode*> folded_;
  std::map<const llvm::BasicBlock*, SourcePos> assertions_;  // by the block where they fail
  std::map<const llvm::Value*, ExprId> values_;
  std::map<const llvm::Value*, Parts> parts_;       // what was loaded in parts, and all of more than 64 bits
  std::map<const llvm::Value*, ExprId> succeeded_;  // of a compare-and-exchange that is weak or in parts
  std::map<const llvm::Value*, unsigned> weights_;
  std::map<const llvm::Value*, bool> undefined_;
  std::set<const llvm::Value*> checked_;  // in this block
  const llvm::Instruction* current_;
  // The begin of the atomic section that this is in, null outside; and the same where blocks begin.
  const llvm::Instruction* section_ = nullptr;
  std::map<const llvm::BasicBlock*, const llvm::Instruction*> sections_;
  Label end_;
  bool marks_retries_ = false;  // the file marks where operations begin again
  SourcePos here_;
  unsigned objects_ = 0;
};

}  // namespace fenceline::frontend::c
