// SPDX-License-Identifier: GPL-3.0-or-later
//
// Calls that are left in a flat function: of the library, of the compiler's intrinsics, and assembly.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Operator.h>

#include <map>
#include <string_view>
#include <utility>

#include "env/errors.h"
#include "frontend/c/assembly.h"
#include "frontend/c/body.h"
#include "frontend/c/index_checks.h"

namespace fenceline::c {
namespace {

constexpr Value kBusy = 16, kBusyC11 = 1;  // EBUSY, thrd_busy

bool is_c11(const llvm::CallBase& call) { return call.getCalledFunction()->getName().starts_with("mtx_"); }

// Is there a %n in this format, whatever stands between the two characters?
bool writes_a_count(std::string_view format) {
  for (size_t at = 0; (at = format.find('%', at)) != std::string_view::npos; ++at) {
    at = format.find_first_not_of("0123456789$*.,-+ #'IhljztLqw", at + 1);
    if (at == std::string_view::npos) return false;
    if (format[at] == 'n') return true;
  }
  return false;
}

}  // namespace

void Body::call(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return assembly(call);
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) {
    if (const auto* direct = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts()))
      refuse(call, fmt::format("a call of '{}' with other arguments than it has", readable_name(*direct)));
    refuse(call,
           "a call through a pointer that is not known here (a function pointer or a virtual function)");
  }
  if (callee->isIntrinsic()) return intrinsic(call);
  if (callee->getName().starts_with(kUndefinedOperation)) {
    thread_.check(
        number(0), here_,
        "constants are divided by zero or shifted by more bits than there are, or a quotient does not fit");
    values_[&call] = number(0);
    return;
  }
  if (callee->getName() == kIndexCheck) {
    thread_.check(op(ExprOp::kUlt, used(*call.getArgOperand(0)), value(*call.getArgOperand(1))), here_,
                  "an index is outside of its array");
    return;
  }
  static const std::map<std::string_view, const char*> kRuntime = {
      {"__cxa_guard_acquire", "a static variable that is initialised when control first comes to it"},
      {"__cxa_atexit", "a destructor or function that runs when the program ends"},
      {"__cxa_pure_virtual", "a virtual function without a body"},
  };
  if (const auto found = kRuntime.find(std::string_view(callee->getName())); found != kRuntime.end()) {
    for (const llvm::Value* argument : call.args())
      if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(argument);
          variable != nullptr && variable->hasInitializer() &&
          variable->hasMetadata(llvm::LLVMContext::MD_dbg))
        lowering_.unit().refuse(*variable, found->second);
    refuse(call, found->second);
  }
  if (const auto what = library_call(*callee)) return library(call, *what);
  refuse(call, fmt::format("the function '{}', whose code is not here", readable_name(*callee)),
         "docs/checking-c.md lists the library functions that are known");
}

void Body::library(const llvm::CallBase& call, Library what) {
  const auto operand = [&](unsigned i) -> const llvm::Value& {
    if (i >= call.arg_size())
      refuse(call, fmt::format("'{}' with so few arguments", readable_name(*call.getCalledFunction())));
    return *call.getArgOperand(i);
  };
  const auto returns = [&](Value value) {
    if (!call.getType()->isVoidTy()) values_[&call] = number(value);
  };
  const auto size = [&](unsigned i) {
    const auto bytes = known(operand(i));
    if (!bytes)
      refuse(call, fmt::format("an allocation whose size is not a constant ({})",
                               readable_name(*call.getCalledFunction())));
    return static_cast<uint64_t>(*bytes);
  };
  const auto truth = [&](unsigned i) { return op(ExprOp::kNe, used(operand(i)), number(0)); };
  switch (what) {
    case Library::kNothing:
      return returns(0);
    case Library::kOutput:
      if (!call.use_empty())
        refuse(call, fmt::format("what '{}' returns", readable_name(*call.getCalledFunction())));
      // With arguments behind its format, that one says whether something is written to one of them.
      if (const unsigned fixed = call.getFunctionType()->getNumParams();
          call.getFunctionType()->isVarArg() && fixed > 0 && call.arg_size() > fixed &&
          writes_a_count(text(operand(fixed - 1), call)))
        refuse(call, "a format with %n");
      return;
    case Library::kAssert:
      thread_.check(truth(0), here_, "the assertion does not hold");
      thread_.decides(here_);
      return returns(0);
    case Library::kAssume:
      thread_.assume(truth(0), here_);
      return returns(0);
    case Library::kWait:
      thread_.wait(truth(0), here_);
      return returns(0);
    case Library::kFails: {
      const std::string name = call.getCalledFunction()->getName().str();
      thread_.check(number(0), here_,
                    name == "__assert_fail"
                        ? fmt::format("the assertion does not hold: {}", text(operand(0), call))
                        : fmt::format("{}() is called", name));
      return returns(0);
    }
    case Library::kExits:
      // The process ends, as where main() returns: nothing follows, and what happened before counts. What
      // other threads do before they notice counts, too.
      if (std::exchange(section_, nullptr) != nullptr) thread_.atomic_end(here_);
      return thread_.halt(here_, true);
    case Library::kAborts:
      if (lowering_.unit().follows_competitions()) return thread_.assume(number(0), here_);
      thread_.check(number(0), here_, "abort() is called");
      return;
    case Library::kNondet: {
      const auto low = known(operand(0)), high = known(operand(1));
      if (!low || !high) refuse(call, "fl_nondet with bounds that are not constants");
      if (*low > *high) refuse(call, "fl_nondet with nothing to choose from");
      thread_.havoc({result_register(call)}, {*low, *high}, here_);
      return;
    }
    case Library::kNondetOfType: {
      const bool is_bool = call.getCalledFunction()->getName().ends_with("ool");
      const unsigned bits = call.getType()->getIntegerBitWidth();
      const Range range =
          is_bool ? Range{0, 1} : Range{-(Value{1} << (bits - 1)), (Value{1} << (bits - 1)) - 1};
      thread_.havoc({result_register(call)}, range, here_);
      return;
    }
    case Library::kFence: {
      outside_of_atomic(call, "a fence");
      const std::string kinds = text(operand(0), call);
      const auto parsed = fence_kinds_of(kinds);
      if (!parsed)
        refuse(call, fmt::format("a fence of the kind \"{}\"", kinds),
               "there are load-load, load-store, store-load, store-store (several with commas) and full");
      thread_.fence(*parsed, here_);
      return;
    }
    case Library::kAtomicBegin:
      outside_of_atomic(call, "an atomic section");
      section_ = &call;
      return thread_.atomic_begin(here_);
    case Library::kAtomicEnd:
      if (section_ == nullptr)
        refuse(call,
               "the end of an atomic section that has not begun (fl_atomic_end without fl_atomic_begin)");
      section_ = nullptr;
      return thread_.atomic_end(here_);
    case Library::kObserve: {
      const std::string name = fmt::format("{}.{}", call_.name, text(operand(0), call));
      const RegId reg = thread_.reg(name);
      thread_.assign({reg}, used(operand(1)), here_);
      lowering_.observe(thread_.id(), reg, name);
      return;
    }
    case Library::kRetry:
      if (call_.no_retries) thread_.assume(number(0), here_);
      return;
    case Library::kAllocate:
      return allocate(call, size(0), 1, kUndefined);
    case Library::kAllocateZeroed:
      return allocate(call, size(0) * size(1), 1, 0);
    case Library::kAllocateAligned:
      return allocate(call, size(1), size(0), kUndefined);
    case Library::kAllocateNew:
      return allocate(call, size(0), size(1), kUndefined);
    case Library::kAllocateInto: {
      allocate(call, size(2), size(1), kUndefined);
      const ExprId fresh = values_.at(&call);
      emit_store(used(operand(0)), 8, fresh, MemoryOrder::kPlain, here_);
      return returns(0);
    }
    case Library::kFree:
      return release(call);
    case Library::kThreadCreate:
      start_thread(call, operand(2), operand(3), &operand(0));
      return returns(0);
    case Library::kThreadCreateC11:
      start_thread(call, operand(1), operand(2), &operand(0));
      return returns(0);
    case Library::kThreadStart:
      return start_thread(call, operand(0), operand(1), nullptr);
    case Library::kThreadJoin: {
      if (call.arg_size() > 1)
        if (const auto place = known(operand(1)); !place || *place != 0)
          refuse(call, "what a thread returns when it is joined", "give a null pointer");
      outside_of_atomic(call, "waiting for a thread");
      const ExprId cell =
          op(ExprOp::kAdd, number(lowering_.done_cell(0)), op(ExprOp::kMul, used(operand(0)), number(8)));
      lowering_.wait_for(thread_, cell, here_);
      return returns(0);
    }
    case Library::kThreadEnd:
      outside_of_atomic(call, "the end of a thread");
      return call_.is_main ? thread_.halt(here_) : thread_.jump(end_);
    case Library::kMutexInit:
      if (const auto kind = known(operand(1)); !kind || *kind != 0)
        refuse(call, "a mutex of another kind than the plain one", "give a null pointer, or mtx_plain");
      emit_store(used(operand(0)), bytes_behind_first_argument(call), number(0), MemoryOrder::kPlain, here_);
      return returns(0);
    case Library::kMutexLock:
      outside_of_atomic(call, "locking a mutex");
      lock(call);
      return returns(0);
    case Library::kMutexTryLock:
      outside_of_atomic(call, "locking a mutex");
      return try_lock(call);
    case Library::kMutexUnlock:
      outside_of_atomic(call, "unlocking a mutex");
      unlock(call);
      return returns(0);
  }
}

// ---- Memory ----

void Body::allocate(const llvm::CallBase& call, uint64_t size, uint64_t alignment, Value initial) {
  if (size == 0 || size > 65536) refuse(call, fmt::format("an allocation of {} bytes", size));
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > 65536)
    refuse(call, fmt::format("an allocation with an alignment of {} bytes", alignment));
  const std::vector<Leaf> leaves =
      shape_of_allocation(call, size, lowering_.unit(), lowering_.memory(), lowering_.points_to());
  const std::string name =
      fmt::format("{}.new{}", call_.name, ++objects_ > 1 ? std::to_string(objects_) : "");
  std::vector<std::pair<uint64_t, uint8_t>> shape;
  for (const Leaf& leaf : leaves) shape.emplace_back(leaf.offset, leaf.bytes);
  std::vector<Heap::Object>& known = lowering_.heap().objects[shape];
  // In a loop, every round has its own; how many there can be has to have an end.
  constexpr uint64_t kMost = 4;
  const bool once = loops_.getLoopFor(call.getParent()) == nullptr || (call_.no_retries && !says_retry_);
  const Value base = lowering_.place(once ? name : name + "#1", size, alignment, leaves, initial, call);
  uint64_t stride = 0;
  for (uint64_t i = 1; i < (once ? 1 : kMost); ++i) {
    const Value next =
        lowering_.place(fmt::format("{}#{}", name, i + 1), size, alignment, leaves, initial, call);
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
                  fmt::format("Fenceline cannot allocate more than {} times in a loop", kMost));
    thread_.assign({result},
                   op(ExprOp::kAdd, number(base),
                      op(ExprOp::kMul, builder_.reg(count), number(static_cast<Value>(stride)))),
                   here_);
  }
  thread_.assign({count}, op(ExprOp::kAdd, builder_.reg(count), number(1)), here_);
}

// All cells of the object hold a value then that nobody may see. Which cells these are depends on what the
// pointer points to.
void Body::release(const llvm::CallBase& call) {
  if (!lowering_.frees().looked_at) return lowering_.ignore_free(here_);  // no address is used twice
  if (lowering_.frees().heap == nullptr) return;                          // it is lowered once more
  const ExprId pointer = used(*call.getArgOperand(0));
  const Label done = thread_.label();
  const auto branch = [&](ExprId condition) {
    const Label yes = thread_.label(), no = thread_.label();
    thread_.branch(condition, yes, no, here_);
    thread_.place(yes);
    return no;
  };
  const Label not_null = branch(op(ExprOp::kEq, pointer, number(0)));
  thread_.jump(done);
  thread_.place(not_null);
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
    thread_.place(other);
  }
  thread_.check(number(0), here_, "something is freed that was not allocated");
  thread_.place(done);
}

// A variable in memory begins or ends. That is written into its cells where it can be seen: if it begins more
// than once, and if something may look at it afterwards.
void Body::lifetime(const llvm::IntrinsicInst& intrinsic) {
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(intrinsic.getArgOperand(1));
  const auto place = variable == nullptr ? std::nullopt : known(*variable);
  if (!place) return;
  const bool begins = intrinsic.getIntrinsicID() == llvm::Intrinsic::lifetime_start;
  if (begins ? loops_.getLoopFor(intrinsic.getParent()) == nullptr
             : !lowering_.lifetimes().is_seen_afterwards(*variable))
    return;
  const Memory::Block* block = lowering_.memory().block(*place, 0);
  require(block != nullptr, "a variable without a place");
  for (const Leaf& leaf : cells_at(*place, static_cast<Value>(block->size), "a variable", intrinsic)) {
    const ExprId address = number(*place + static_cast<Value>(leaf.offset));
    thread_.store(lowering_.at(address, leaf.bytes), number(begins ? kUndefined : kEnded), here_);
    tag(tags_of_store(MemoryOrder::kPlain, lowering_.mapping()));
  }
}

void Body::fill(const llvm::CallBase& call) {
  const auto address = known(*call.getArgOperand(0)), byte = known(*call.getArgOperand(1)),
             size = known(*call.getArgOperand(2));
  if (!byte || !size || *byte != 0)
    refuse(call, "memset of anything but zero, or of a size that is not a constant");
  std::vector<Leaf> leaves;
  if (address)
    leaves = cells_at(*address, *size, "memset", call);
  else if (auto cells = cells_behind(*call.getArgOperand(0), static_cast<uint64_t>(*size), lowering_.unit(),
                                     lowering_.memory(), lowering_.points_to()))
    leaves = std::move(*cells);
  else
    refuse(call, "memset of an object that is not known here");
  const ExprId target = used(*call.getArgOperand(0));
  for (const Leaf& leaf : leaves)
    emit_store(op(ExprOp::kAdd, target, number(static_cast<Value>(leaf.offset))), leaf.bytes, number(0),
               MemoryOrder::kPlain, here_);
}

void Body::copy(const llvm::CallBase& call) {
  const auto to = known(*call.getArgOperand(0)), from = known(*call.getArgOperand(1)),
             size = known(*call.getArgOperand(2));
  if (!size) refuse(call, "memcpy of a size that is not a constant");
  // The shape of whichever side is known.
  std::vector<Leaf> leaves;
  if (const auto known_side = to ? to : from) {
    leaves = cells_at(*known_side, *size, "memcpy", call);
  } else if (auto cells = cells_behind(*call.getArgOperand(0), static_cast<uint64_t>(*size), lowering_.unit(),
                                       lowering_.memory(), lowering_.points_to())) {
    leaves = std::move(*cells);
  } else if (*size == 1 || *size == 2 || *size == 4 || *size == 8) {
    leaves.push_back({0, static_cast<uint8_t>(*size), ""});
  } else {
    refuse(call, "memcpy between objects that are not known here");
  }
  const ExprId target = used(*call.getArgOperand(0)), source = used(*call.getArgOperand(1));
  const auto part = [&](ExprId base, const Leaf& leaf) {
    return op(ExprOp::kAdd, base, number(static_cast<Value>(leaf.offset)));
  };
  // All is read first: the two may overlap.
  const bool at_once = llvm::cast<llvm::IntrinsicInst>(call).getIntrinsicID() == llvm::Intrinsic::memmove;
  std::vector<RegId> copied;
  for (const Leaf& leaf : leaves) {
    copied.push_back(thread_.temp());
    if (from && lowering_.memory().is_padding(*from + static_cast<Value>(leaf.offset), leaf.bytes))
      thread_.assign({copied.back()}, number(kUndefined), here_);
    else
      emit_load(copied.back(), part(source, leaf), leaf.bytes, MemoryOrder::kPlain, here_);
    if (!at_once)
      emit_store(part(target, leaf), leaf.bytes, builder_.reg(copied.back()), MemoryOrder::kPlain, here_);
  }
  for (size_t i = 0; at_once && i < leaves.size(); ++i)
    emit_store(part(target, leaves[i]), leaves[i].bytes, builder_.reg(copied[i]), MemoryOrder::kPlain, here_);
}

std::string Body::text(const llvm::Value& value, const llvm::Instruction& user) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value.stripPointerCasts());
  const auto* data = variable != nullptr && variable->isConstant() && variable->hasInitializer()
                         ? llvm::dyn_cast<llvm::ConstantDataArray>(variable->getInitializer())
                         : nullptr;
  if (data == nullptr || !data->isCString()) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&user);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    refuse(user, fmt::format("{} with a text that is not a literal",
                             callee == nullptr ? "a call" : readable_name(*callee)));
  }
  return data->getAsCString().str();
}

// ---- Threads ----

void Body::start_thread(const llvm::CallBase& call, const llvm::Value& function, const llvm::Value& argument,
                        const llvm::Value* handle) {
  const auto* code = llvm::dyn_cast<llvm::Function>(function.stripPointerCasts());
  if (code == nullptr) refuse(call, "a thread whose function is not known here");
  if (code->isDeclaration())
    refuse(call, fmt::format("a thread that runs '{}', whose code is not here", readable_name(*code)));
  outside_of_atomic(call, "starting a thread");
  if (loops_.getLoopFor(call.getParent()) != nullptr)
    refuse(call, "starting threads in a loop whose number of rounds is not a constant");
  const uint32_t number_of_thread = lowering_.add_thread(*const_cast<llvm::Function*>(code), call);
  emit_store(number(lowering_.argument_cell(number_of_thread)), 8, value(argument), MemoryOrder::kPlain,
             here_);
  if (handle != nullptr)
    emit_store(used(*handle), 8, number(number_of_thread), MemoryOrder::kPlain, here_);
  else
    values_[&call] = number(number_of_thread);
  lowering_.signal(thread_, number(lowering_.start_cell(number_of_thread)), here_);
}

// Waits until it is free; nobody comes between looking and taking.
void Body::lock(const llvm::CallBase& call) {
  const uint64_t bytes = bytes_behind_first_argument(call);
  const ExprId mutex = used(*call.getArgOperand(0));
  const RegId held = thread_.temp();
  if (lowering_.mapping() == CompilationScheme::kLanguage) {
    emit_rmw(RmwOp::kCasValue, held, mutex, bytes, number(0), number(1), MemoryOrder::kAcquire, here_);
    thread_.wait(op(ExprOp::kEq, builder_.reg(held), number(0)), here_);
    return;
  }
  thread_.atomic_begin(here_);
  thread_.load({held}, lowering_.at(mutex, bytes), here_);
  tag({tags_of_rmw(MemoryOrder::kAcquire, lowering_.mapping(), true).tags, {}});
  require_set(builder_.reg(held), here_);
  thread_.wait(op(ExprOp::kEq, builder_.reg(held), number(0)), here_);
  thread_.store(lowering_.at(mutex, bytes), number(1), here_);
  thread_.atomic_end(here_);
  emit_fence(around_rmw(MemoryOrder::kAcquire, lowering_.mapping()).after, here_);
}

// 0 if it was free, else EBUSY or thrd_busy.
void Body::try_lock(const llvm::CallBase& call) {
  const RegId held = thread_.temp();
  emit_rmw(RmwOp::kCasValue, held, used(*call.getArgOperand(0)), bytes_behind_first_argument(call), number(0),
           number(1), MemoryOrder::kAcquire, here_);
  values_[&call] = builder_.select(builder_.reg(held), number(is_c11(call) ? kBusyC11 : kBusy), number(0));
}

void Body::unlock(const llvm::CallBase& call) {
  const uint64_t bytes = bytes_behind_first_argument(call);
  const ExprId mutex = used(*call.getArgOperand(0));
  const RegId held = thread_.temp();
  const char* message = "a mutex is unlocked that is not locked";
  if (lowering_.mapping() == CompilationScheme::kLanguage) {
    emit_rmw(RmwOp::kXchg, held, mutex, bytes, number(0), ExprId(), MemoryOrder::kRelease, here_);
    thread_.check(op(ExprOp::kEq, builder_.reg(held), number(1)), here_, message);
    return;
  }
  emit_fence(around_rmw(MemoryOrder::kRelease, lowering_.mapping()).before, here_);
  thread_.rmw(RmwOp::kXchg, {held}, lowering_.at(mutex, bytes), number(0), ExprId(), here_);
  tag(tags_of_rmw(MemoryOrder::kRelease, lowering_.mapping(), false));
  thread_.check(op(ExprOp::kEq, builder_.reg(held), number(1)), here_, message);
}

// ---- The compiler's own ----

void Body::intrinsic(const llvm::CallBase& call) {
  const auto choose = [&](ExprOp less) {
    const ExprId a = used(*call.getArgOperand(0)), b = used(*call.getArgOperand(1));
    define(call, builder_.select(op(less, a, b), a, b));
  };
  switch (llvm::cast<llvm::IntrinsicInst>(call).getIntrinsicID()) {
    case llvm::Intrinsic::dbg_declare:
    case llvm::Intrinsic::dbg_value:
    case llvm::Intrinsic::dbg_label:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::x86_sse2_pause:
      return;
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
      return lifetime(llvm::cast<llvm::IntrinsicInst>(call));
    case llvm::Intrinsic::assume:
      if (const auto holds = known(*call.getArgOperand(0)); !holds || *holds == 0)
        thread_.check(used(*call.getArgOperand(0)), here_, "what the program says to assume does not hold");
      return;
    case llvm::Intrinsic::x86_sse2_mfence:
      return emit_fence(FenceKinds::full(), here_);
    case llvm::Intrinsic::x86_sse2_lfence:
      return emit_fence(FenceKinds::load_load() | FenceKinds::load_store(), here_);
    case llvm::Intrinsic::x86_sse_sfence:
      return emit_fence(FenceKinds::store_store(), here_);
    case llvm::Intrinsic::expect:
      return define(call, value(*call.getArgOperand(0)));
    case llvm::Intrinsic::smin:
      return choose(ExprOp::kLt);
    case llvm::Intrinsic::smax:
      return choose(ExprOp::kGt);
    case llvm::Intrinsic::umin:
      return choose(ExprOp::kUlt);
    case llvm::Intrinsic::memset:
      return fill(call);
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memmove:
      return copy(call);
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::debugtrap:
      return thread_.check(number(0), here_, "the program traps, or calls what is no function of that type");
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
      refuse(call, "an array whose size is not a constant");
    case llvm::Intrinsic::vastart:
    case llvm::Intrinsic::vaend:
    case llvm::Intrinsic::vacopy:
      refuse(call, "variable arguments");
    case llvm::Intrinsic::threadlocal_address:
      if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(call.getArgOperand(0)))
        lowering_.unit().refuse(*variable,
                                fmt::format("thread-local variables ('{}')", variable->getName().str()));
      refuse(call, "thread-local variables");
    default:
      refuse(call, fmt::format("the built-in function '{}'", call.getCalledFunction()->getName().str()));
  }
}

void Body::assembly(const llvm::CallBase& call) {
  const auto& code = *llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  if (llvm::isa<llvm::CallBrInst>(call)) refuse(call, "asm goto");
  const std::string text(code.getAsmString());
  const auto kinds = assembly_fence(text);
  if (!kinds)
    refuse(call, fmt::format("the assembly \"{}\"", text), "known are the fences of the common processors");
  if (!call.getType()->isVoidTy()) refuse(call, "assembly with results");
  emit_fence(*kinds, here_);
}

}  // namespace fenceline::c
