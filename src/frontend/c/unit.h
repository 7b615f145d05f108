// SPDX-License-Identifier: GPL-3.0-or-later
//
// A compiled C or C++ file, and its functions made flat: everything they call is inlined, variables whose
// address does not escape are no memory any more, and loops with a constant number of iterations are gone.
// What remains of a function are its memory accesses and what they depend on; it is lowered instruction by
// instruction.
//
// Only files of this folder include this header: the rest of the program does not depend on LLVM.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "env/source.h"
#include "frontend/c/exceptions.h"
#include "frontend/c/object_names.h"
#include "frontend/c/passes.h"

namespace fenceline::frontend::c {

class PointsTo;
enum class SizeOf : uint8_t;

// The metadata of an allocation that names the structure it is for: an undefined value of that type.
inline constexpr const char* kTypeNote = "fenceline.type";

class Unit {
 public:
  // Throws InputError for what is not supported, where it is found out.
  Unit(std::string name, const std::string& bitcode);

  const std::string& name() const { return name_; }
  llvm::Module& module() { return *module_; }
  const llvm::DataLayout& layout() const { return module_->getDataLayout(); }

  // The function with a body of that name, as it was written; null if there is none.
  llvm::Function* find(const std::string& name);
  // The functions that run before all others, in their order: they initialise global variables.
  std::vector<llvm::Function*> constructors();
  // To be called first: makes flat what can be executed when these functions are, with all threads that they
  // start. Every call that starts a thread gets a copy of the thread's function.
  void flatten(const std::vector<llvm::Function*>& roots);
  // The same function, flat.
  llvm::Function& flat(llvm::Function& function);
  // A flat function in which some loads are known to yield constants, or addresses so far behind those of what it has
  // allocated, and what follows from that. True if it is another function then. Loads through pointers that may be
  // null stay, without being used.
  struct KnownLoad {
    llvm::LoadInst* load;
    llvm::Value* value;  // not a load
    int64_t distance = 0;
  };
  using KnownLoads = std::vector<KnownLoad>;
  bool simplify(llvm::Function& flat, const KnownLoads& loads);
  // The same with numbers of which that is checked where the program executes (index_guards.h).
  using KnownNumbers = std::vector<std::pair<llvm::Instruction*, uint64_t>>;
  bool simplify(llvm::Function& flat, const KnownNumbers& numbers);

  // A flat function in which allocations of unknown size, as far as they can be avoided, are limitations
  // (unknown_allocations.h). True if there was one.
  bool limit_allocations(llvm::Function& flat);
  // The same with copies of unknown size, which become loops (variable_copies.h).
  bool expand_copies(llvm::Function& flat);

  // A flat function in which some sizes that are not known are choices (size_cases.h). True if there was one.
  bool choose_sizes(llvm::Function& flat, SizeOf which, const PointsTo& points_to);

  // Rejects the instruction: the feature is not supported.
  [[noreturn]] void reject(const llvm::Instruction& at, const std::string& feature,
                           const std::string& hint = "");
  [[noreturn]] void reject(const llvm::Function& at, const std::string& feature,
                           const std::string& hint = "");
  [[noreturn]] void reject(const llvm::GlobalVariable& at, const std::string& feature,
                           const std::string& hint = "");

  // What each pass that was made so far has found and left.
  const std::vector<PassCounts>& passes() const { return passes_; }

  // Is an exception that is not caught an error, or does such an execution not count?
  bool assumes_no_exceptions() const { return assumes_no_exceptions_; }
  void assume_no_exceptions(bool assume) { assumes_no_exceptions_ = assume; }

  // Assembly of this machine, in a program that was compiled for another one; empty if there is none.
  const std::string& native_assembly() const { return native_assembly_; }

  // Does the program use the error functions of verification competitions? Then abort()
  // is none: it ends an execution that is not of interest.
  bool follows_competitions() const;

  // Where the instruction is in the user's text: the call, if it is inside of a header of the system or of ours.
  // Null if nothing is known.
  static const llvm::DILocation* location_of(const llvm::Instruction& instruction);
  // The same of a position.
  static const llvm::DILocation* outside_of_library(const llvm::DILocation* location);

  // Is it in a header of the system or of ours, or in what is added to programs?
  static bool is_in_library(const llvm::DILocation& location);

  // "path/of/file.c" that the position is about.
  static std::string file_of(const llvm::DILocation& location);

  // What a thread that executes the flat function is called: as the function, or as the one that a std::thread was
  // made with ("lambda:12" if that has no name).
  static std::string thread_name(const llvm::Function& flat);

  // Does the program set bit fields in units of so many bits (bit_fields.h)?
  bool sets_bit_fields(unsigned bits) const { return bit_field_sizes_.contains(bits); }

  // What is known about the types of objects.
  const ObjectTypes& object_types() const { return object_types_.value(); }

 private:
  void find_recursion(llvm::Function& function);
  void keep_recursive(llvm::Function& function);
  void end_behind_calls(llvm::Function& function);
  void inline_calls(llvm::Function& function);
  void inline_plain_calls(llvm::Function& function);
  bool inline_all(llvm::Function& function, const std::vector<llvm::CallBase*>& calls);
  static std::vector<llvm::CallBase*> calls_of(llvm::Function& function);
  void run_passes(llvm::Function& function);
  void make_flat(llvm::Function& function);
  std::vector<llvm::Function*> flatten_reachable(const std::vector<llvm::Function*>& roots);
  llvm::Function& copy_for_thread(llvm::Function& function, llvm::Function& starter);

  std::string name_;
  std::string native_assembly_;
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  Opaque opaque_;
  Exceptions exceptions_;
  bool assumes_no_exceptions_ = false;
  std::vector<PassCounts> passes_;
  std::set<llvm::Function*> flat_, not_recursive_;
  struct Copy {
    llvm::Function *original, *starter;  // what it is a copy of, and the function that starts it
  };
  std::map<llvm::Function*, Copy> copies_;                // for threads
  std::map<llvm::Function*, llvm::Function*> recursive_;  // and what they were before anything was inlined
  std::optional<ObjectTypes> object_types_;
  std::set<unsigned> bit_field_sizes_;
};

// The metadata of a store of such a constant that is only about padding: into cells that other accesses make.
inline constexpr const char* kPaddingNote = "fenceline.padding";

// A constant that is opaque to LLVM: what a variable holds that was never set.
llvm::Constant* never_set(llvm::Module& module, llvm::Type& type);

// Does it come from a variable that was never set? (So does an UndefValue; but LLVM exploits those.)
bool is_never_set(const llvm::Value& value);

// A program has copies of its flat functions (lowering.h). Their names end so, and what LLVM adds; people see the
// name of the original.
inline constexpr const char* kCopySuffix = "$copy";
// The function that every std::thread executes.
inline constexpr const char* kThreadEntry = "fl_std_thread";
std::string source_name(const llvm::Function& function);

// "std::atomic<int>::load(...)": as people write it.
std::string readable_name(const llvm::Function& function);

}  // namespace fenceline::frontend::c
