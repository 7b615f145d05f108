// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exceptions of C++ as plain control flow.
//
// When everything that a thread calls has been inlined, each `throw` is in the same function as all handlers that
// are in reach of it: either there is none, which ends the program (std::terminate), or it is known where control
// goes, because the type of what is thrown is a constant. So a `throw` becomes a jump to the landing pad of the
// handler or of the destructors before it, with the object and the number of the handler that will take it; what
// cannot throw is a plain call; and nothing of the machinery is left.
//
// An exception that is not caught ends the program where its object is created, unless its operand may do something
// else than compute: what its constructor does is not executed, and neither are destructors, as the usual
// implementations do not unwind then.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fenceline::frontend::c {

class Unit;

// The call that takes the place of a `throw` without a handler. Its name is followed by that of the type.
inline constexpr const char* kUncaught = "fl.uncaught.";

// The same where it is not supported what happens then: its name is followed by the reason.
inline constexpr const char* kRejected = "fl.rejected.";

// Does the function, which has no body, throw?
bool is_throwing(const llvm::Function& declaration);

class Exceptions {
 public:
  explicit Exceptions(Unit& unit) : unit_(unit) {}

  // Declares which functions without a body throw: none but those of the C++ runtime.
  static void mark_throwing(llvm::Module& module);

  // What is known so far. Precondition: calls are inlined as far as it is known what they call.
  void lower(llvm::Function& function);
  // `throw` without an operand. To be called when all types are known that are caught in the function: what is
  // caught there later is rejected. True if there was one.
  bool lower_rethrows(llvm::Function& function);

 private:
  struct Thrown {
    llvm::Value* object;         // null: not there, since its type is not known here
    const llvm::Constant* type;  // its type information, or the function of the library that throws it
  };
  // Where it goes, with the number of the handler that takes it; null: nowhere.
  struct Handler {
    llvm::LandingPadInst* pad = nullptr;
    unsigned number = 0;
  };
  // Where the code behind a landing pad begins, with what has been thrown as two values.
  struct Entry {
    llvm::BasicBlock* block = nullptr;
    llvm::PHINode *object = nullptr, *number = nullptr;
    std::vector<std::pair<llvm::PHINode*, llvm::PHINode*>> copies;  // of what comes to the landing pad
  };

  void keep_objects(llvm::Function& function);
  llvm::Instruction& object_at(llvm::Instruction& at, uint64_t size);
  static void calls_that_do_not_throw(llvm::Function& function);
  void clean_up(llvm::Function& function);
  static llvm::BasicBlock& cut_before(llvm::CallBase& call);
  void lower_throw(llvm::CallBase& call);
  void lower_rethrow(llvm::CallBase& call);
  std::string unsupported_reason(const Thrown& thrown, llvm::CallBase& call);
  static void reject_there(const std::string& why, llvm::CallBase& call, llvm::BasicBlock& from);
  Handler handler_of(const Thrown& thrown, llvm::CallBase& call);
  unsigned number_of(const llvm::Constant* type);
  Entry& entry(llvm::LandingPadInst& pad);
  void raise(const Thrown& thrown, llvm::CallBase& call, llvm::BasicBlock& from);
  static void end_with(const std::string& name, llvm::CallBase& call, llvm::BasicBlock& block);
  void end_where_created(const Thrown& thrown, llvm::CallBase& call);

  Unit& unit_;
  std::map<const llvm::LandingPadInst*, Entry> entries_;
  std::vector<std::pair<Thrown, llvm::CallBase*>> uncaught_;
  std::map<const llvm::Constant*, unsigned> numbers_;
  std::map<const llvm::Function*, std::vector<const llvm::Constant*>> caught_;  // types
  std::set<const llvm::Function*> rethrown_;
};

}  // namespace fenceline::frontend::c
