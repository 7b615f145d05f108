// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/library.h"

#include <llvm/IR/Constants.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace fenceline::frontend::c {
namespace {

using enum Library;

constexpr std::pair<std::string_view, Library> kNames[] = {
    {"fl_assert", kAssert},
    {"fl_assume", kAssume},
    {"fl_guess", kGuess},
    {"fl_wait", kWait},
    {"fl_limit", kLimit},
    {"fl_fence_loads", kFenceLoads},
    {"fl_fence_stores", kFenceStores},
    {"fl_thread_self", kThreadSelf},
    {"fl_nondet", kNondet},
    {"fl_fence", kFence},
    {"fl_atomic_begin", kAtomicBegin},
    {"fl_atomic_end", kAtomicEnd},
    {"fl_observe", kObserve},
    {"fl_retry", kRetry},
    {"fl_thread_start", kThreadStart},
    {"fl_thread_join", kThreadJoin},
    {"fl_mutex_lock", kMutexLock},
    {"fl_mutex_try_lock", kMutexTryLock},
    {"fl_mutex_unlock", kMutexUnlock},
    {"fl_spin_try_lock", kMutexTryLock},
    {"fl_spin_unlock", kMutexUnlock},
    {"fl_step_begin", kStepBegin},
    {"fl_step_end", kStepEnd},
    {"fl_take", kTake},
    {"__VERIFIER_assume", kAssume},
    {"__VERIFIER_error", kFails},
    {"reach_error", kFails},
    {"__VERIFIER_atomic_begin", kAtomicBegin},
    {"__VERIFIER_atomic_end", kAtomicEnd},
    {"__VERIFIER_assert", kAssert},
    {"__VERIFIER_loop_bound", kNothing},
    {"__VERIFIER_loop_begin", kNothing},
    {"__VERIFIER_spin_start", kNothing},
    {"__VERIFIER_spin_end", kNothing},
    {"__VERIFIER_opt_begin", kNothing},
    {"__assert_fail", kFails},
    {"abort", kAborts},
    {"exit", kExits},
    {"_exit", kExits},
    {"_Exit", kExits},
    {"quick_exit", kExits},
    {"_ZSt9terminatev", kFails},
    {"__clang_call_terminate", kFails},
    {"__cxa_pure_virtual", kFails},
    {"_ZSt21__glibcxx_assert_failPKciS0_S0_", kFails},
    {"__cxa_allocate_exception", kNothing},
    {"__cxa_begin_catch", kNothing},
    {"__cxa_end_catch", kNothing},
    {"malloc", kAllocate},
    {"_Znwm", kAllocate},
    {"_Znam", kAllocate},
    {"_ZnwmRKSt9nothrow_t", kAllocate},
    {"_ZnamRKSt9nothrow_t", kAllocate},
    {"calloc", kAllocateZeroed},
    {"aligned_alloc", kAllocateAligned},
    {"memalign", kAllocateAligned},
    {"posix_memalign", kAllocateInto},
    {"_ZnwmSt11align_val_t", kAllocateNew},
    {"_ZnamSt11align_val_t", kAllocateNew},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", kAllocateNew},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", kAllocateNew},
    {"free", kFree},
    {"_ZdlPv", kFree},
    {"_ZdlPvm", kFree},
    {"_ZdaPv", kFree},
    {"_ZdaPvm", kFree},
    {"_ZdlPvRKSt9nothrow_t", kFree},
    {"_ZdaPvRKSt9nothrow_t", kFree},
    {"_ZdlPvSt11align_val_tRKSt9nothrow_t", kFree},
    {"_ZdaPvSt11align_val_tRKSt9nothrow_t", kFree},
    {"_ZdlPvSt11align_val_t", kFree},
    {"_ZdaPvSt11align_val_t", kFree},
    {"_ZdlPvmSt11align_val_t", kFree},
    {"_ZdaPvmSt11align_val_t", kFree},
    {"pthread_create", kThreadCreate},
    {"pthread_join", kThreadJoin},
    {"pthread_exit", kThreadEnd},
    {"pthread_self", kThreadSelf},
    {"pthread_detach", kNothing},
    {"thrd_create", kThreadCreateC11},
    {"thrd_current", kThreadSelf},
    {"thrd_join", kThreadJoin},
    {"thrd_exit", kThreadEnd},
    {"pthread_mutex_init", kMutexInit},
    {"mtx_init", kMutexInit},
    {"pthread_mutex_lock", kMutexLock},
    {"mtx_lock", kMutexLock},
    {"pthread_mutex_trylock", kMutexTryLock},
    {"mtx_trylock", kMutexTryLock},
    {"pthread_mutex_unlock", kMutexUnlock},
    {"mtx_unlock", kMutexUnlock},
    {"pthread_mutex_destroy", kNothing},
    {"mtx_destroy", kNothing},
    {"pthread_attr_init", kNothing},
    {"pthread_attr_destroy", kNothing},
    {"pthread_attr_setdetachstate", kNothing},
    {"pthread_attr_setstacksize", kNothing},
    {"pthread_setname_np", kNothing},
    {"pthread_setaffinity_np", kNothing},
    {"pthread_setconcurrency", kNothing},
    {"sched_setaffinity", kNothing},
    {"pthread_condattr_init", kNothing},
    {"pthread_condattr_destroy", kNothing},
    {"pthread_condattr_setclock", kNothing},
    {"pthread_condattr_setpshared", kNothing},
    {"pthread_mutexattr_setpshared", kNothing},
    {"pthread_rwlockattr_init", kNothing},
    {"pthread_rwlockattr_destroy", kNothing},
    {"pthread_rwlockattr_setpshared", kNothing},
    {"pthread_barrierattr_init", kNothing},
    {"pthread_barrierattr_destroy", kNothing},
    {"pthread_barrierattr_setpshared", kNothing},
    {"pthread_yield", kNothing},
    {"sched_yield", kNothing},
    {"thrd_yield", kNothing},
    {"usleep", kNothing},
    {"sleep", kNothing},
    {"nanosleep", kNothing},
    {"clock_nanosleep", kNothing},
    {"thrd_sleep", kNothing},
    {"getenv", kNothing},  // the environment is empty
    {"srandom", kNothing},
    {"setvbuf", kNothing},
    {"printf", kOutput},
    {"puts", kOutput},
    {"putchar", kOutput},
    {"fprintf", kOutput},
    {"fputs", kOutput},
    {"fputc", kOutput},
    {"putc", kOutput},
    {"perror", kOutput},
    {"fflush", kOutput},
    {"srand", kNothing},
    {"_ZNSt8ios_base4InitC1Ev", kNothing},
    {"_ZNSt8ios_base4InitD1Ev", kNothing},
};

// Members of std::ostream: <<, flush, put, write. Functions: <<, std::endl, std::flush, and what these call.
constexpr std::string_view kStreamPrefixes[] = {"_ZNSols",
                                                "_ZNSo5flushEv",
                                                "_ZNSo3putEc",
                                                "_ZNSo5writeEPKcl",
                                                "_ZStls",
                                                "_ZSt4endlIcSt11char_traitsIcEE",
                                                "_ZSt5flushIcSt11char_traitsIcEE",
                                                "_ZSt16__ostream_insertIcSt11char_traitsIcEE"};

}  // namespace

std::optional<Library> library_call(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  const bool of_checkers =
      name.starts_with("fl_") || name.starts_with("__VERIFIER_") || name == "reach_error";
  if (!function.isDeclaration() && !of_checkers) return std::nullopt;
  // __VERIFIER_nondet_uint64_t and so on: the type says all.
  if (name.starts_with("__VERIFIER_nondet_") && function.getReturnType()->isIntegerTy() &&
      function.getReturnType()->getIntegerBitWidth() <= 64)
    return kNondetOfType;
  if (std::ranges::any_of(kStreamPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }))
    return kStream;
  const auto* found =
      std::ranges::find(kNames, std::string_view(name), &std::pair<std::string_view, Library>::first);
  if (found == std::end(kNames)) return std::nullopt;
  return found->second;
}

std::optional<uint64_t> allocated_size(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  const auto what = callee == nullptr || callee->isIntrinsic() ? std::nullopt : library_call(*callee);
  const auto constant = [&](unsigned i) -> uint64_t {
    const auto* number =
        i < call->arg_size() ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(i)) : nullptr;
    return number == nullptr ? 0 : number->getZExtValue();
  };
  if (!what) return std::nullopt;
  switch (*what) {
    case Library::kAllocate:
    case Library::kAllocateNew:
      return constant(0);
    case Library::kAllocateZeroed:
      return constant(0) * constant(1);
    case Library::kAllocateAligned:
      return constant(1);
    case Library::kAllocateInto:
      return constant(2);
    default:
      return std::nullopt;
  }
}

std::optional<unsigned> started_function_operand(const llvm::CallBase& call) {
  if (!starts_thread(call)) return std::nullopt;
  const auto what = library_call(*call.getCalledFunction());
  const unsigned at = what == Library::kThreadCreate ? 2 : what == Library::kThreadCreateC11 ? 1 : 0;
  return at + 1 < call.arg_size() ? std::optional(at) : std::nullopt;
}

bool starts_thread(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  const auto what = callee == nullptr || callee->isIntrinsic() ? std::nullopt : library_call(*callee);
  return what == Library::kThreadCreate || what == Library::kThreadCreateC11 || what == Library::kThreadStart;
}

llvm::Function* started_by(const llvm::CallBase& call) {
  if (!starts_thread(call)) return nullptr;
  if (const llvm::MDNode* copy = call.getMetadata(kStartsCopy))
    return llvm::mdconst::extract<llvm::Function>(copy->getOperand(0));
  const auto at = started_function_operand(call);
  return at ? llvm::dyn_cast<llvm::Function>(call.getArgOperand(*at)->stripPointerCasts()) : nullptr;
}

const llvm::Value* result_of_join(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || callee->isIntrinsic() || library_call(*callee) != Library::kThreadJoin ||
      call.arg_size() < 2 || llvm::isa<llvm::ConstantPointerNull>(call.getArgOperand(1)))
    return nullptr;
  return call.getArgOperand(1);
}

uint64_t bytes_of_result(const llvm::CallBase& call) {
  return call.getCalledFunction()->getName() == "thrd_join" ? 4 : 8;
}

uint64_t bytes_behind_first_argument(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  const auto what = callee == nullptr || callee->isIntrinsic() ? std::nullopt : library_call(*callee);
  if (!what || call.arg_size() == 0) return 0;
  switch (*what) {
    case Library::kThreadCreate:
    case Library::kThreadCreateC11:
    case Library::kAllocateInto:
      return 8;
    case Library::kMutexInit:
    case Library::kMutexLock:
    case Library::kMutexTryLock:
    case Library::kMutexUnlock:
    case Library::kStepBegin:
    case Library::kStepEnd:
    case Library::kTake:
      return callee->getName().starts_with("mtx_") ? 8 : 4;
    default:
      return 0;
  }
}

}  // namespace fenceline::frontend::c
