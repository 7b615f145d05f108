// SPDX-License-Identifier: GPL-3.0-or-later
//
// Calls of functions that are known by their names (library.h): one function for each meaning.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>

#include <string_view>
#include <utility>

#include "env/errors.h"
#include "frontend/c/assembly.h"
#include "frontend/c/body.h"
#include "frontend/c/static_destructors.h"
#include "frontend/c/unknown_value.h"

namespace fenceline::frontend::c {
namespace {

constexpr Value kBusy = 16, kBusyC11 = 1;  // EBUSY, thrd_busy
constexpr Value kTimedC11 = 2;             // mtx_timed

bool is_c11(const llvm::CallBase& call) { return call.getCalledFunction()->getName().starts_with("mtx_"); }

// Is there a %n in this format, whatever is between the two characters?
bool writes_a_count(std::string_view format) {
  for (size_t at = 0; (at = format.find('%', at)) != std::string_view::npos; ++at) {
    at = format.find_first_not_of("0123456789$*.,-+ #'IhljztLqw", at + 1);
    if (at == std::string_view::npos) return false;
    if (format[at] == 'n') return true;
  }
  return false;
}

}  // namespace

void Body::library(const llvm::CallBase& call, Library what) {
  if (bytes_behind_first_argument(call) != 0) check_tracked(*call.getArgOperand(0));
  switch (what) {
    case Library::kNothing:
      return returns(call, 0);
    case Library::kOutput:
      return output(call);
    case Library::kStream:
      if (!call.getType()->isVoidTy()) values_[&call] = value(operand(call, 0));
      return;
    case Library::kAssert:
      return assertion(call);
    case Library::kAssume:
      return assumption(call);
    case Library::kGuess:
      thread_.guess(truth(call, 0), here_);
      return returns(call, 0);
    case Library::kWait:
      return wait(call);
    case Library::kLimit:
      return thread_.limit(truth(call, 0), here_, text(operand(call, 1), call));
    case Library::kFails:
      return failure(call);
    case Library::kExits:
      return exit_process();
    case Library::kAborts:
      return abort_process();
    case Library::kNondet:
      return nondet(call);
    case Library::kNondetOfType:
      return nondet_of_type(call);
    case Library::kFence:
      return named_fence(call);
    case Library::kFenceLoads:
      return one_sided_fence(call, FenceKinds::load_load());
    case Library::kFenceStores:
      return one_sided_fence(call, FenceKinds::store_store());
    case Library::kAtomicBegin:
      return atomic_begin(call);
    case Library::kAtomicEnd:
      return atomic_end(call);
    case Library::kObserve:
      return observe(call);
    case Library::kRetry:
      return retry();
    case Library::kAllocate:
      return allocate(call, constant_size(call, 0), 1, kUndefined);
    case Library::kAllocateZeroed:
      return allocate(call, constant_size(call, 0) * constant_size(call, 1), 1, 0);
    case Library::kAllocateAligned:
      return allocate(call, constant_size(call, 1), constant_size(call, 0), kUndefined);
    case Library::kAllocateNew:
      return allocate(call, constant_size(call, 0), constant_size(call, 1), kUndefined);
    case Library::kAllocateInto:
      return allocate_into(call);
    case Library::kFree:
      return release(call);
    case Library::kThreadCreate:
      return create_thread(call, 2);
    case Library::kThreadCreateC11:
      return create_thread(call, 1);
    case Library::kThreadStart:
      return start_thread(call, operand(call, 0), operand(call, 1), nullptr);
    case Library::kThreadJoin:
      return join_thread(call);
    case Library::kThreadEnd:
      return end_thread(call);
    case Library::kThreadSelf:
      values_[&call] = number(lowering_.self());
      return;
    case Library::kMutexInit:
      return init_mutex(call);
    case Library::kMutexLock:
      check_writable(*call.getArgOperand(0));
      take(call, 0, 0, 1);
      return returns(call, 0);
    case Library::kStepBegin:
      return lowering_.mapping() == CompilationScheme::kFences ? atomic_begin(call) : take(call, 0, 0, 1);
    case Library::kStepEnd:
      if (lowering_.mapping() == CompilationScheme::kFences) return atomic_end(call);
      return emit_store(used(operand(call, 0)), bytes_behind_first_argument(call), number(0),
                        MemoryOrder::kRelease, here_);
    case Library::kTake:
      return take(call, constant_bound(call, 1), constant_bound(call, 2), constant_bound(call, 3));
    case Library::kMutexTryLock:
      check_writable(*call.getArgOperand(0));
      return try_lock(call);
    case Library::kMutexUnlock:
      unlock(call);
      return returns(call, 0);
  }
}

const llvm::Value& Body::operand(const llvm::CallBase& call, unsigned index) {
  if (index >= call.arg_size())
    reject(call, fmt::format("'{}' with too few arguments", readable_name(*call.getCalledFunction())));
  return *call.getArgOperand(index);
}

ExprId Body::truth(const llvm::CallBase& call, unsigned index) {
  return op(ExprOp::kNe, used(operand(call, index)), number(0));
}

void Body::returns(const llvm::CallBase& call, Value value) {
  if (!call.getType()->isVoidTy()) values_[&call] = number(value);
}

// ---- Checks, choices and sections ----

void Body::output(const llvm::CallBase& call) {
  if (!call.use_empty())
    reject(call, fmt::format("what '{}' returns", readable_name(*call.getCalledFunction())));
  // With arguments behind its format, the format decides whether one of them is written to.
  if (const unsigned fixed = call.getFunctionType()->getNumParams();
      call.getFunctionType()->isVarArg() && fixed > 0 && call.arg_size() > fixed &&
      writes_a_count(text(operand(call, fixed - 1), call)))
    reject(call, "a format with %n");
}

void Body::assertion(const llvm::CallBase& call) {
  thread_.check(truth(call, 0), here_, "the assertion does not hold");
  thread_.decides(lowering_.written_at(call));
  returns(call, 0);
}

void Body::assumption(const llvm::CallBase& call) {
  thread_.assume(truth(call, 0), here_);
  returns(call, 0);
}

void Body::wait(const llvm::CallBase& call) {
  thread_.wait(truth(call, 0), here_);
  returns(call, 0);
}

void Body::failure(const llvm::CallBase& call) {
  const std::string name = call.getCalledFunction()->getName().str();
  thread_.check(
      number(0), here_,
      name == "__assert_fail"
          ? fmt::format("the assertion does not hold: {}", text(operand(call, 0), call))
          : fmt::format("{} is called",
                        name.starts_with("_ZSt9terminate") ? std::string("std::terminate()") : name + "()"));
  returns(call, 0);
}

// The process ends, as where main() returns: nothing follows, and what happened before counts. What other threads
// do before they notice counts, too.
void Body::exit_process() {
  if (std::exchange(section_, nullptr) != nullptr) thread_.atomic_end(here_);
  thread_.halt(here_, true);
}

void Body::abort_process() {
  if (lowering_.unit().follows_competitions()) return thread_.assume(number(0), here_);
  thread_.check(number(0), here_, "abort() is called");
}

void Body::nondet(const llvm::CallBase& call) {
  const auto low = known(operand(call, 0)), high = known(operand(call, 1));
  if (!low || !high) reject(call, "fl_nondet with bounds that are not constants");
  if (*low > *high) reject(call, "fl_nondet with nothing to choose from");
  thread_.havoc({result_register(call)}, {*low, *high}, here_);
}

void Body::nondet_of_type(const llvm::CallBase& call) {
  const bool is_bool = call.getCalledFunction()->getName().ends_with("ool");
  const unsigned bits = call.getType()->getIntegerBitWidth();
  const auto all_of = [](unsigned width) {
    return Range{-(Value{1} << (width - 1)), (Value{1} << (width - 1)) - 1};
  };
  const RegId result = result_register(call);
  if (bits < 64) return thread_.havoc({result}, is_bool ? Range{0, 1} : all_of(bits), here_);
  // In two halves.
  const RegId high = thread_.temp(), low = thread_.temp();
  thread_.havoc({high}, all_of(32), here_);
  thread_.havoc({low}, {0, (Value{1} << 32) - 1}, here_);
  thread_.assign({result},
                 op(ExprOp::kBitOr, op(ExprOp::kShl64, builder_.reg(high), number(32)), builder_.reg(low)),
                 here_);
}

void Body::named_fence(const llvm::CallBase& call) {
  outside_of_atomic(call, "a fence");
  const std::string kinds = text(operand(call, 0), call);
  const auto parsed = fence_kinds_of(kinds);
  if (!parsed)
    reject(call, fmt::format("a fence of the kind \"{}\"", kinds),
           "there are load-load, load-store, store-load, store-store (several with commas) and full");
  thread_.fence(*parsed, here_);
}

// Machines have such a fence. In C the weakest fence that does the same acquires or releases, which a fence without a
// name does if it orders loads with stores, too.
void Body::one_sided_fence(const llvm::CallBase& call, FenceKinds kinds) {
  outside_of_atomic(call, "a fence");
  const bool language = lowering_.mapping() == CompilationScheme::kLanguage;
  thread_.fence(language ? kinds | FenceKinds::load_store() : kinds, here_);
}

void Body::atomic_begin(const llvm::CallBase& call) {
  outside_of_atomic(call, "an atomic section");
  section_ = &call;
  thread_.atomic_begin(here_);
}

void Body::atomic_end(const llvm::CallBase& call) {
  if (section_ == nullptr)
    reject(call, "the end of an atomic section that has not begun (fl_atomic_end without fl_atomic_begin)");
  section_ = nullptr;
  thread_.atomic_end(here_);
}

void Body::observe(const llvm::CallBase& call) {
  const std::string name = fmt::format("{}.{}", call_.name, text(operand(call, 0), call));
  const RegId reg = thread_.reg(name);
  thread_.assign({reg}, used(operand(call, 1)), here_);
  lowering_.observe(thread_.id(), reg, name);
}

void Body::retry() {
  if (call_.no_retries) thread_.assume(number(0), here_);
}

// ---- Memory ----

uint64_t Body::constant_size(const llvm::CallBase& call, unsigned index) {
  const auto bytes = known(operand(call, index));
  if (!bytes)
    reject(call,
           fmt::format("an allocation whose size is not a constant ({}): it depends on {}",
                       readable_name(*call.getCalledFunction()),
                       what_is_unknown(operand(call, index), lowering_.unit())),
           kConstantHint);
  return static_cast<uint64_t>(*bytes);
}

void Body::allocate_into(const llvm::CallBase& call) {
  allocate(call, constant_size(call, 2), constant_size(call, 1), kUndefined);
  const ExprId fresh = values_.at(&call);
  emit_store(used(operand(call, 0)), 8, fresh, MemoryOrder::kPlain, here_);
  returns(call, 0);
}

void Body::allocate(const llvm::CallBase& call, uint64_t size, uint64_t alignment, Value initial) {
  if (size == 0 || size > 65536) reject(call, fmt::format("an allocation of {} bytes", size));
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > 65536)
    reject(call, fmt::format("an allocation with an alignment of {} bytes", alignment));
  auto [leaves, type] =
      shape_of_allocation(call, size, lowering_.unit(), lowering_.memory(), lowering_.cells());
  name_cells(lowering_.unit().object_types().type_of(call, type), size, leaves);
  const std::string name =
      fmt::format("{}.new{}", call_.name, ++objects_ > 1 ? std::to_string(objects_) : "");
  std::vector<std::pair<uint64_t, uint8_t>> shape;
  for (const Leaf& leaf : leaves) shape.emplace_back(leaf.offset, leaf.bytes);
  std::vector<Heap::Object>& known = lowering_.heap().objects[shape];
  // In a loop, every iteration has its own; their number is bounded.
  constexpr uint64_t kMost = 4;
  const bool once = loops_.getLoopFor(call.getParent()) == nullptr || (call_.no_retries && !marks_retries_);
  const Value base = lowering_.allocate(once ? name : name + "#1", size, alignment, leaves, initial, call);
  uint64_t stride = 0;
  for (uint64_t i = 1; i < (once ? 1 : kMost); ++i) {
    const Value next =
        lowering_.allocate(fmt::format("{}#{}", name, i + 1), size, alignment, leaves, initial, call);
    if (i == 1) stride = static_cast<uint64_t>(next - base);
    require(next == base + static_cast<Value>(i * stride), "objects of a loop do not lie in a row");
  }
  if (once && !lowering_.frees().looked_at) {
    values_[&call] = number(base);
    return;
  }
  const RegId count = thread_.temp();
  for (uint32_t i = 0; i < (once ? 1 : kMost); ++i)
    known.push_back({base + static_cast<Value>(i * stride), thread_.id(), count, i});
  if (once) {
    values_[&call] = number(base);
  } else {
    const RegId result = result_register(call);
    thread_.limit(op(ExprOp::kLt, builder_.reg(count), number(kMost)), here_,
                  fmt::format("Fenceline does not support more than {} allocations in a loop", kMost));
    thread_.assign({result},
                   op(ExprOp::kAdd, number(base),
                      op(ExprOp::kMul, builder_.reg(count), number(static_cast<Value>(stride)))),
                   here_);
  }
  thread_.assign({count}, op(ExprOp::kAdd, builder_.reg(count), number(1)), here_);
}

// All cells of the object hold a value then that must not be read. Which cells these are depends on what the
// pointer points to.
void Body::release(const llvm::CallBase& call) {
  if (!lowering_.frees().looked_at) return lowering_.ignore_free(here_);  // no address is used twice
  if (lowering_.frees().heap == nullptr) return;                          // it is lowered once more
  const ExprId pointer = used(*call.getArgOperand(0));
  const Label done = thread_.label();
  const auto branch = [&](ExprId condition) {
    const Label yes = thread_.label(), no = thread_.label();
    thread_.branch(condition, yes, no, here_);
    thread_.bind(yes);
    return no;
  };
  const Label not_null = branch(op(ExprOp::kEq, pointer, number(0)));
  thread_.jump(done);
  thread_.bind(not_null);
  for (const auto& [shape, objects] : lowering_.frees().heap->objects) {
    if (objects.empty()) continue;
    ExprId one_of = number(0);
    for (const Heap::Object& object : objects)
      one_of = op(ExprOp::kOr, one_of, op(ExprOp::kEq, pointer, number(object.address)));
    const Label other = branch(one_of);
    bool first = true;
    for (const auto& [offset, bytes] : shape) {
      const Address cell = lowering_.at(op(ExprOp::kAdd, pointer, number(static_cast<Value>(offset))), bytes);
      if (std::exchange(first, false)) {
        const RegId before = thread_.temp();
        thread_.rmw(RmwOp::kXchg, {before}, cell, number(kFreed), ExprId(), here_);
        tag(tags_of_rmw(MemoryOrder::kPlain, lowering_.mapping(), false));
        thread_.check(op(ExprOp::kNe, builder_.reg(before), number(kFreed)), here_, "memory is freed twice");
      } else {
        thread_.store(cell, number(kFreed), here_);
        tag(tags_of_store(MemoryOrder::kPlain, lowering_.mapping()));
      }
    }
    thread_.jump(done);
    thread_.bind(other);
  }
  thread_.check(number(0), here_, "memory is freed that was not allocated");
  thread_.bind(done);
}

// ---- Threads ----

void Body::create_thread(const llvm::CallBase& call, unsigned function) {
  start_thread(call, operand(call, function), operand(call, function + 1), &operand(call, 0));
  returns(call, 0);
}

void Body::start_thread(const llvm::CallBase& call, const llvm::Value& function, const llvm::Value& argument,
                        const llvm::Value* handle) {
  if (!llvm::isa<llvm::Function>(function.stripPointerCasts()))
    reject(call, "a thread whose function is not known here");
  const llvm::Function* code = started_by(call);
  require(code != nullptr, "a thread without a function");
  if (code->isDeclaration())
    reject(call, fmt::format("a thread that runs '{}', whose code is not here", readable_name(*code)));
  outside_of_atomic(call, "starting a thread");
  if (const llvm::Loop* loop = loops_.getLoopFor(call.getParent()))
    reject(call,
           fmt::format("starting threads in a loop whose number of iterations is not a constant{}",
                       what_bounds(*loop, lowering_.unit())),
           kConstantHint);
  const uint32_t number_of_thread = lowering_.add_thread(*const_cast<llvm::Function*>(code), call);
  thread_.role(StepRole::kInternal);
  emit_store(number(lowering_.argument_cell(number_of_thread)), 8, value(argument), MemoryOrder::kPlain,
             here_);
  if (handle != nullptr) {
    const ExprId address = used(*handle);
    emit_store(address, 8, number(number_of_thread), MemoryOrder::kPlain, here_);
    if (const std::optional<Value> known = builder_.constant_value(address)) lowering_.add_handle(*known);
  } else {
    values_[&call] = number(number_of_thread);
  }
  lowering_.signal(thread_, number(lowering_.start_cell(number_of_thread)), here_, StepRole::kStart);
}

void Body::join_thread(const llvm::CallBase& call) {
  outside_of_atomic(call, "waiting for a thread");
  const ExprId thread = op(ExprOp::kMul, used(operand(call, 0)), number(8));
  lowering_.wait_for(thread_, op(ExprOp::kAdd, number(lowering_.done_cell(0)), thread), here_,
                     StepRole::kJoin);
  if (const llvm::Value* result = result_of_join(call)) {
    const auto cells = lowering_.result_cell(0);
    require(cells.has_value(), "the result of a thread without a cell for it");
    const ExprId target = used(*result);
    const RegId value = thread_.temp();
    const Label somewhere = thread_.label(), done = thread_.label();
    if (!builder_.constant_value(target)) {
      thread_.branch(op(ExprOp::kNe, target, number(0)), somewhere, done, here_);
      thread_.bind(somewhere);
    }
    const StepRole role = thread_.role(StepRole::kInternal);
    emit_load(value, op(ExprOp::kAdd, number(*cells), thread), 8, MemoryOrder::kPlain, here_);
    thread_.role(role);
    emit_store(target, bytes_of_result(call), builder_.reg(value), MemoryOrder::kPlain, here_);
    thread_.bind(done);
  }
  returns(call, 0);
}

void Body::end_thread(const llvm::CallBase& call) {
  outside_of_atomic(call, "the end of a thread");
  if (call_.is_main && runs_at_end(lowering_.unit().module()))
    reject(call,
           "the end of main()'s thread before the process ends, with functions for atexit() or static "
           "destructors");
  if (call.arg_size() > 0) leave_result(call.getArgOperand(0));
  call_.is_main ? thread_.halt(here_) : thread_.jump(end_);
}

void Body::leave_result(const llvm::Value* result) {
  const auto cell = call_.thread == 0 ? std::nullopt : lowering_.result_cell(call_.thread);
  if (!cell || result == nullptr || !is_scalar(*result->getType())) return;
  const StepRole role = thread_.role(StepRole::kInternal);
  emit_store(number(*cell), 8, value(*result), MemoryOrder::kPlain, here_);
  thread_.role(role);
}

// ---- Mutexes ----

void Body::init_mutex(const llvm::CallBase& call) {
  const auto kind = known(operand(call, 1));
  if (!kind || (*kind != 0 && !(is_c11(call) && *kind == kTimedC11)))
    reject(call, "a mutex of another kind than the plain one", "give a null pointer, or mtx_plain");
  emit_store(used(operand(call, 0)), bytes_behind_first_argument(call), number(0), MemoryOrder::kPlain,
             here_);
  returns(call, 0);
}

Value Body::constant_bound(const llvm::CallBase& call, unsigned index) {
  const auto bound = known(operand(call, index));
  require(bound.has_value(), "fl_take with a bound that is not a constant");
  return *bound;
}

// Waits until the value is from `low` to `high`, and adds to it; no other thread comes in between. On models with
// deadlocks the thread is before an atomic section until then. On others its store may come late, as that of a
// processor's lock does, so there it is a read-modify-write.
void Body::take(const llvm::CallBase& call, Value low, Value high, Value difference) {
  outside_of_atomic(call, "locking a mutex");
  const uint64_t bytes = bytes_behind_first_argument(call);
  const ExprId mutex = used(*call.getArgOperand(0));
  const RegId held = thread_.temp();
  const ExprId value = builder_.reg(held), next = op(ExprOp::kAdd, value, number(difference));
  const ExprId free = low == high ? op(ExprOp::kEq, value, number(low))
                                  : op(ExprOp::kAnd, op(ExprOp::kLe, number(low), value),
                                       op(ExprOp::kLe, value, number(high)));
  const FenceKinds after = around_rmw(MemoryOrder::kAcquire, lowering_.mapping()).after;
  if (lowering_.mapping() == CompilationScheme::kFences) {
    thread_.atomic_begin(here_);
    thread_.load({held}, lowering_.at(mutex, bytes), here_);
    tag({tags_of_rmw(MemoryOrder::kAcquire, lowering_.mapping(), true).tags, {}});
    require_set(value, here_);
    require_not_freed(value, here_);
    thread_.wait(free, here_);
    thread_.store(lowering_.at(mutex, bytes), low == high ? number(low + difference) : next, here_);
    thread_.atomic_end(here_);
  } else if (low == high) {
    emit_rmw(RmwOp::kCasValue, held, mutex, bytes, number(low), number(low + difference),
             MemoryOrder::kAcquire, rmw_tags(MemoryOrder::kAcquire, true), {}, here_);
    thread_.wait(free, here_);
  } else {
    // As in body_fetch.cpp: the load reads what the exchange reads.
    emit_load(held, mutex, bytes, MemoryOrder::kRelaxed, here_);
    require_set(value, here_);
    require_not_freed(value, here_);
    thread_.wait(free, here_);
    const ExprId old = emit_rmw(RmwOp::kCasValue, thread_.temp(), mutex, bytes, value, next,
                                MemoryOrder::kAcquire, rmw_tags(MemoryOrder::kAcquire, true), {}, here_);
    thread_.guess(op(ExprOp::kEq, old, value), here_);
  }
  emit_fence(after, here_);
}

// 0 if it was free, else EBUSY or thrd_busy; then it orders nothing. In the C library it is a compare-and-exchange,
// whose instructions may order more. Spin locks look first.
void Body::try_lock(const llvm::CallBase& call) {
  outside_of_atomic(call, "locking a mutex");
  const bool looks = lowering_.mapping() == CompilationScheme::kLanguage ||
                     call.getCalledFunction()->getName() == "fl_spin_try_lock";
  const uint64_t bytes = bytes_behind_first_argument(call);
  const ExprId mutex = used(*call.getArgOperand(0));
  const FenceKinds after = around_rmw(MemoryOrder::kAcquire, lowering_.mapping()).after;
  const RegId held = result_register(call);
  const ExprId failed = number(is_c11(call) ? kBusyC11 : kBusy);
  const auto exchange = [&](RegId seen) {
    // On Power, isync is behind a success only.
    const AccessTags tags = has_isync(MemoryOrder::kAcquire, lowering_.mapping())
                                ? AccessTags{{}, {kIsync}}
                                : rmw_tags(MemoryOrder::kAcquire, true);
    return emit_rmw(RmwOp::kCasValue, seen, mutex, bytes, number(0), number(1), MemoryOrder::kAcquire, tags,
                    {}, here_);
  };
  if (looks) {
    emit_load(held, mutex, bytes, MemoryOrder::kRelaxed, here_);
    require_set(builder_.reg(held), here_);
    require_not_freed(builder_.reg(held), here_);
  } else {
    exchange(held);
    if (after.none()) {
      values_[&call] = builder_.select(builder_.reg(held), failed, number(0));
      return;
    }
  }
  const Label free = thread_.label(), busy = thread_.label(), done = thread_.label();
  thread_.branch(builder_.reg(held), busy, free, here_);
  thread_.bind(free);
  if (looks) thread_.guess(op(ExprOp::kEq, exchange(thread_.temp()), number(0)), here_);
  emit_fence(after, here_);
  thread_.jump(done);
  thread_.bind(busy);
  thread_.assign({held}, failed, here_);
  thread_.bind(done);
}

void Body::unlock(const llvm::CallBase& call) {
  outside_of_atomic(call, "unlocking a mutex");
  const uint64_t bytes = bytes_behind_first_argument(call);
  const ExprId mutex = used(*call.getArgOperand(0));
  const RegId held = thread_.temp();
  const char* message = "a mutex is unlocked that is not locked";
  if (call.getCalledFunction()->getName() == "fl_spin_unlock") {
    emit_load(held, mutex, bytes, MemoryOrder::kRelaxed, here_);
    require_not_freed(builder_.reg(held), here_);
    thread_.check(op(ExprOp::kEq, builder_.reg(held), number(1)), here_, message);
    return emit_store(mutex, bytes, number(0), MemoryOrder::kRelease, here_);
  }
  if (lowering_.mapping() == CompilationScheme::kLanguage) {
    emit_rmw(RmwOp::kXchg, held, mutex, bytes, number(0), ExprId(), MemoryOrder::kRelease, here_);
    thread_.check(op(ExprOp::kEq, builder_.reg(held), number(1)), here_, message);
    return;
  }
  emit_fence(around_rmw(MemoryOrder::kRelease, lowering_.mapping()).before, here_);
  thread_.rmw(RmwOp::kXchg, {held}, lowering_.at(mutex, bytes), number(0), ExprId(), here_);
  tag(tags_of_rmw(MemoryOrder::kRelease, lowering_.mapping(), false));
  require_not_freed(builder_.reg(held), here_);
  thread_.check(op(ExprOp::kEq, builder_.reg(held), number(1)), here_, message);
}

}  // namespace fenceline::frontend::c
