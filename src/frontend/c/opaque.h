// SPDX-License-Identifier: GPL-3.0-or-later
//
// Operations and accesses that are opaque to LLVM.
//
// LLVM deletes a load whose result is not used, a division whose result is compared with something it cannot
// be, and the dependency in `r ^ r`: all of that is correct for a compiler and unsound for a verifier. So
// before any of its passes runs, every operation is replaced by a call of an unknown function, and every
// access is volatile. LLVM keeps what is opaque to it. Before a function is lowered, the operations are put
// back, and nothing of LLVM's runs afterwards.
//
// Every operation, access and call has an origin, a number that its copies share. A `Ledger` counts them
// before and after a pass: what is missing must have been given up by name (a variable that is no memory, a
// computation with constants, unreachable code); else the program stops, without a verdict.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <vector>

namespace fenceline::frontend::c {

// A call of a function whose name begins so is an operation on constants that C leaves undefined (1 / 0),
// which Clang has folded to a poison value.
inline constexpr const char* kUndefinedOperation = "fl.undefined.";

class Opaque {
 public:
  explicit Opaque(llvm::Module& module) : module_(module) {}
  ~Opaque();
  Opaque(const Opaque&) = delete;
  Opaque& operator=(const Opaque&) = delete;

  // As the compiler wrote it: what it has folded to poison becomes a call that fails.
  void keep_undefined_operations(llvm::Function& function);
  // All operations and accesses of the function. Those that are hidden already stay so.
  void hide(llvm::Function& function);
  // All operations are LLVM's again. Accesses stay volatile.
  void reveal(llvm::Function& function);

  // The operation that the call represents, with other operands; null if it is none.
  const llvm::Instruction* operation(const llvm::Value& call) const;
  llvm::Instruction* hide(llvm::Instruction& operation);
  llvm::Instruction* reveal(llvm::CallInst& call);

  // Is it volatile because of us, and not in the source?
  bool made_volatile(const llvm::Instruction& access) const;
  void make_volatile(llvm::Instruction& access);
  void make_plain(llvm::Instruction& access);

  // The access is a part of the other one.
  void share_origin(llvm::Instruction& part, const llvm::Instruction& whole);

  // 0 if it has none: branches, phis, and what only moves values.
  static uint64_t origin(const llvm::Instruction& instruction);

 private:
  void give_origin(llvm::Instruction& instruction);

  llvm::Module& module_;
  std::vector<llvm::Instruction*> templates_;
  std::map<const llvm::Value*, llvm::Instruction*> by_function_;
  uint64_t origins_ = 0;
};

// How often each origin occurs in the reachable code of a function.
class Ledger {
 public:
  explicit Ledger(const llvm::Function& function) : counts_(count(function)) {}

  void add(const llvm::Function& function);
  void give_up(const llvm::Instruction& instruction);
  void give_up(const llvm::BasicBlock& block);
  // Throws Bug if something is missing that was not given up.
  void check(const llvm::Function& function, const char* pass) const;

  size_t total() const;

 private:
  struct Count {
    size_t number = 0;
    unsigned line = 0;  // of one of them
    const char* opcode = nullptr;
  };
  using Counts = std::map<uint64_t, Count>;
  static Counts count(const llvm::Function& function);
  Counts counts_;
};

}  // namespace fenceline::frontend::c
