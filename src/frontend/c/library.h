// SPDX-License-Identifier: GPL-3.0-or-later
//
// The functions that are known by name: `fenceline.h`, threads and mutexes, memory, and
// what verification competitions use. Calls of all others are inlined, or rejected if they have no body.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>

namespace fenceline::frontend::c {

enum class Library : uint8_t {
  kNothing,  // no effect that a memory model sees; returns 0
  kOutput,   // the same, but what it returns is not known
  kStream,   // output to a stream, its first argument, which it returns
  kAssert,
  kAssume,
  kGuess,  // an assumption about what was read, of which nothing depends
  kWait,
  kLimit,   // (condition, text): where it does not hold, Fenceline does not support the program
  kFails,   // being called is the error
  kExits,   // the process ends
  kAborts,  // the same, or an error: docs/checking-c.md
  kNondet,  // (low, high)
  kNondetOfType,
  kFence,
  kFenceLoads,   // of the kernel: earlier loads with later ones
  kFenceStores,  // the same of stores
  kAtomicBegin,
  kAtomicEnd,
  kObserve,  // (name, value)
  kRetry,    // an operation begins again
  kAllocate,
  kAllocateZeroed,   // (number, size)
  kAllocateAligned,  // (alignment, size)
  kAllocateNew,      // (size, alignment): operator new
  kAllocateInto,     // (where to put the pointer, alignment, size)
  kFree,
  kThreadCreate,     // (where to put the handle, attributes, function, argument)
  kThreadCreateC11,  // (where to put the handle, function, argument)
  kThreadStart,      // (function, argument); returns the handle
  kThreadJoin,       // (handle, where to put the result)
  kThreadEnd,
  kThreadSelf,
  kMutexInit,
  kMutexLock,
  kMutexTryLock,
  kMutexUnlock,
  kStepBegin,  // (lock): what follows is one step, where the model has steps; else the lock is held
  kStepEnd,
  kTake,  // (location, low, high, difference): waits until it is in between, then adds the difference; acquires
};

// None: it is not one of them. A program's own function of such a name has its own body; but the functions of
// verification tools keep their meaning even if there is a body, which then is for running the program
// without one.
std::optional<Library> library_call(const llvm::Function& function);
inline bool is_library_call(const llvm::Function& function) { return library_call(function).has_value(); }

// The size of what the instruction allocates on the heap, 0 if it is no constant; none if it allocates
// nothing.
std::optional<uint64_t> allocated_size(const llvm::Instruction& instruction);

// The metadata of a call that starts a thread, in the code of one program (lowering.h): that program's copy of
// the function that the thread executes.
inline constexpr const char* kStartsCopy = "fenceline.starts";

// The argument that is the function of the new thread, if the call starts one.
std::optional<unsigned> started_function_operand(const llvm::CallBase& call);

// The function that a new thread executes, if the call starts one and it is known which.
llvm::Function* started_by(const llvm::CallBase& call);

// Does the call start a thread, known or not?
bool starts_thread(const llvm::CallBase& call);

// Where the call, which waits for a thread, puts what the thread returns; null if it does not wait for one, or puts
// it nowhere. C11's threads return an int, all others a pointer.
const llvm::Value* result_of_join(const llvm::CallBase& call);
uint64_t bytes_of_result(const llvm::CallBase& call);

// How many bytes a call of the library accesses at its first argument, a mutex or the handle of a thread; 0
// if it is neither. The cell of a mutex that says whether it is held is its first one, as the headers of the
// C library declare it.
uint64_t bytes_behind_first_argument(const llvm::CallBase& call);

}  // namespace fenceline::frontend::c
