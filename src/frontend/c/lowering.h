// SPDX-License-Identifier: GPL-3.0-or-later
//
// From flat functions to a program of the IR: its memory, its threads, and what they start and wait for.
//
// A thread that is started waits for a cell of its own, `start`, to become 1, and sets another, `done`, when
// it ends; full fences around both make everything before a start visible to the new thread, and everything a
// thread did visible to the thread that joins it.
#pragma once

#include <llvm/IR/Instructions.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/c/c_program.h"
#include "frontend/c/lifetimes.h"
#include "frontend/c/memory.h"
#include "frontend/c/orders.h"
#include "frontend/c/points_to.h"
#include "frontend/c/spurious_failures.h"
#include "frontend/c/unit.h"
#include "ir/builder.h"

namespace fenceline::frontend::c {

// A flat function to execute as part of a thread.
struct Call {
  llvm::Function* function;
  uint32_t operation = 0;   // Instruction::operation of all that it does
  bool no_retries = false;  // executions in which a loop iterates again are left out
  std::string name;         // of its observations and objects: "e1"
  bool is_main = false;     // the program ends where it returns
  uint32_t thread = 0;      // the number of the thread that was started to execute it; 0: none was
  bool alone = false;       // no other thread has begun, or all have ended
};

// What was allocated: objects of the same shape together.
struct Heap {
  struct Object {
    Value address;
    ThreadId thread;
    RegId counter;        // how often the thread has been there;
    uint32_t number = 0;  // the object exists if that is more than this
  };
  // By the offsets and sizes of their cells.
  std::map<std::vector<std::pair<uint64_t, uint8_t>>, std::vector<Object>> objects;
};

// Is free() tracked, and which objects can it free?
struct Frees {
  bool looked_at = false, leaks = false;
  const Heap* heap = nullptr;  // null: not yet known
};

class Lowering {
 public:
  Lowering(Unit& unit, CompilationScheme mapping, const SourceFile& source, const Frees& frees);
  ~Lowering();
  Lowering(const Lowering&) = delete;
  Lowering& operator=(const Lowering&) = delete;

  // To be called first, with all functions that threads are made of. (What these start is found.) One thread
  // executes `sequence` from the first to the last; `others` begin after that.
  void prepare(const std::vector<llvm::Function*>& sequence, const std::vector<llvm::Function*>& others);
  // A thread that executes the calls one after the other. `first`: all others wait for it to end before they
  // begin.
  void thread(const std::string& name, const std::vector<Call>& calls);
  void first_thread(const std::string& name, const std::vector<Call>& calls);
  // What happens before all threads: it is executed here and now, and what it leaves is the initial memory.
  // To be called last.
  void beforehand(const std::vector<Call>& calls);
  // The function, after what initialises global variables, and all the threads that it starts.
  void main(llvm::Function& function, const std::vector<Call>& constructors);

  // The builder is spent. `heap` is what was allocated.
  CProgram finish(Heap& heap);

  // ---- For Body, which lowers one function ----

  Unit& unit() { return unit_; }
  ProgramBuilder& builder() { return builder_; }
  Memory& memory() { return memory_; }
  const PointsTo& points_to() const { return *points_to_; }
  const Cells& cells() const { return *cells_; }
  const Lifetimes& lifetimes() const { return *lifetimes_; }
  CompilationScheme mapping() const { return mapping_; }
  const Frees& frees() const { return frees_; }
  Heap& heap() { return heap_; }
  // The number of the thread whose code is being made, from 1: what pthread_self() is.
  Value self() const { return self_; }
  // How often weak compare-exchanges of a thread fail spuriously in loops that would have no bound
  // (spurious_failures.h); none: as often as they like.
  void limit_spurious_failures(std::optional<uint32_t> most) { most_spurious_failures_ = most; }
  std::optional<uint32_t> most_spurious_failures() const { return most_spurious_failures_; }
  void leave_out_spurious_failures() { leaves_out_failures_ = true; }
  // What the program leaves out, for users.
  std::string left_out() const {
    return leaves_out_failures_ ? too_many_spurious_failures(*most_spurious_failures_) : "";
  }
  // What happens before all threads has one execution; nothing in it fails without a reason.
  bool is_determined() const { return has_beforehand_; }
  // For reports: that of the caller, for what is in a header of the system.
  SourcePos position(const llvm::Instruction& instruction);
  // Its own position, also in a header of the system: an assertion there is the same one for all of its callers.
  SourcePos written_at(const llvm::Instruction& instruction);
  Address at(ExprId address, uint64_t bytes) const {
    return {memory_object_, address, static_cast<uint8_t>(bytes)};
  }

  // The value of a constant; objects it points to are placed in memory. Throws through reject() if it has none.
  Value constant(const llvm::Constant& constant, const llvm::Instruction& user);
  // A thread that begins when its start cell is set. Its number, from 1.
  uint32_t add_thread(llvm::Function& function, const llvm::Instruction& user);
  // The number of a thread is stored there.
  void add_handle(Value address) { handles_.emplace_back(static_cast<size_t>(address)); }
  // As Memory::allocate.
  Value allocate(const std::string& name, uint64_t size, uint64_t alignment, const std::vector<Leaf>& leaves,
                 Value initial, const llvm::Instruction& user);
  Value start_cell(uint32_t thread) const { return start_cells_ + 8 * static_cast<Value>(thread); }
  Value done_cell(uint32_t thread) const { return done_cells_ + 8 * static_cast<Value>(thread); }
  // Where the thread leaves what it returns; none if no thread reads that.
  std::optional<Value> result_cell(uint32_t thread) const {
    return result_cells_ ? std::optional(*result_cells_ + 8 * static_cast<Value>(thread)) : std::nullopt;
  }
  // The thread's own copy of a thread-local variable.
  Value thread_local_copy(const llvm::GlobalVariable& variable, ThreadId thread,
                          const llvm::Instruction& user);
  Value argument_cell(uint32_t thread) const { return argument_cells_ + 8 * static_cast<Value>(thread); }

  void observe(ThreadId thread, RegId reg, std::string name) {
    observed_.push_back({std::move(name), thread, reg});
  }
  void ignore_free(SourcePos pos) {
    if (!ignored_free_) ignored_free_ = pos;
  }
  void access(ThreadBuilder& thread, FencesAround around, SourcePos pos, bool before);

  // `role`: what the load, or the store, is to a reader.
  void wait_for(ThreadBuilder& thread, ExprId cell, SourcePos pos, StepRole role = StepRole::kInternal);
  void signal(ThreadBuilder& thread, ExprId cell, SourcePos pos, StepRole role = StepRole::kInternal);

 private:
  struct Started {
    llvm::Function* function;
    uint32_t number;
  };

  llvm::Function& copy_of(llvm::Function& function);
  bool copy_started(std::vector<llvm::Function*>& functions);
  bool propagate_constants(const std::vector<llvm::Function*>& sequence,
                           const std::vector<llvm::Function*>& others);
  bool propagate_alignments(const std::vector<llvm::Function*>& sequence,
                            const std::vector<llvm::Function*>& others);

  uint16_t file(const std::string& name);
  SourcePos position(const llvm::DILocation* location);
  std::optional<Value> constant_expression(const llvm::ConstantExpr& expression,
                                           const llvm::Instruction& user);
  Value thread_cells(const char* name, Value initial);
  void keep_results(const std::vector<const llvm::Function*>& functions);
  bool is_address_only(const llvm::GlobalVariable& variable) const;
  Value global(const llvm::GlobalVariable& variable, const llvm::Instruction& user);
  Value place(const llvm::GlobalVariable& variable, const std::string& name, const llvm::Instruction& user);
  void add_bytes(const llvm::Constant& value, llvm::Type& type, size_t at, std::vector<uint8_t>& bytes,
                 const llvm::Instruction& user);
  ThreadBuilder& begin_thread(const std::string& name);
  void run(ThreadBuilder& thread, const std::vector<Call>& calls, bool alone);
  void execute_last_thread(Program& program) const;
  void require_all_freed();
  void name_values(Program& program) const;
  void name_thread_cells(Program& program) const;

  Unit& unit_;
  // The code of this program: flat functions, in which is constant what is constant in this program.
  std::map<llvm::Function*, llvm::Function*> copies_;
  CompilationScheme mapping_;
  Frees frees_;
  Heap heap_;
  std::optional<SourcePos> ignored_free_;
  std::optional<uint32_t> most_spurious_failures_;
  bool leaves_out_failures_ = false;
  SourceFile source_;
  ProgramBuilder builder_;
  Memory memory_;
  std::unique_ptr<PointsTo> points_to_;
  std::unique_ptr<Cells> cells_;
  std::unique_ptr<Lifetimes> lifetimes_;
  ObjectId memory_object_;
  std::map<std::string, uint16_t> files_;
  std::map<const llvm::GlobalVariable*, Value> globals_;
  std::map<std::pair<const llvm::GlobalVariable*, ThreadId>, Value> thread_locals_;
  std::map<const llvm::Function*, Value> functions_;
  std::deque<Started> unstarted_;
  std::string current_thread_;  // the name of the one that is being lowered
  uint32_t threads_ = 0;
  std::map<uint32_t, ThreadId> started_;  // by their numbers
  std::vector<CellId> handles_;
  Value self_ = 0;
  Value start_cells_ = 0, done_cells_ = 0, argument_cells_ = 0;
  std::optional<Value> result_cells_;
  std::vector<Value> own_cells_;  // all of these
  bool has_first_ = false, has_beforehand_ = false, has_main_ = false;
  std::vector<CObserved> observed_;
};

}  // namespace fenceline::frontend::c
