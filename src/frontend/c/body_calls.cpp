// SPDX-License-Identifier: GPL-3.0-or-later
//
// Calls that are left in a flat function: what is called, the compiler's intrinsics, and assembly.
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
#include "frontend/c/index_guards.h"
#include "frontend/c/intrinsics.h"
#include "frontend/c/source_steps.h"
#include "frontend/c11.h"

namespace fenceline::frontend::c {
void Body::call(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return assembly(call);
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) {
    if (const auto* direct = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts()))
      reject(call, fmt::format("a call of '{}' with arguments that do not match its declaration",
                               readable_name(*direct)));
    reject(call,
           "a call through a pointer that is not known here (a function pointer or a virtual function)");
  }
  if (callee->isIntrinsic()) return intrinsic(call);
  if (const auto fence = fence_of_assembly(call))
    return assembly_fence(*fence, call.arg_empty() ? nullptr : call.getArgOperand(0));
  if (callee->getName().starts_with(kUndefinedOperation)) {
    thread_.check(number(0), here_, "a constant expression divides by zero, shifts too far or overflows");
    values_[&call] = number(0);
    return;
  }
  if (llvm::StringRef reason = callee->getName(); reason.consume_front(kRejected)) reject(call, reason.str());
  if (callee->getName().starts_with(kUncaught)) {
    if (lowering_.unit().assumes_no_exceptions()) return thread_.assume(number(0), here_);
    return thread_.check(number(0), here_,
                         fmt::format("an exception is thrown and not caught: {}",
                                     callee->getName().drop_front(std::string_view(kUncaught).size()).str()));
  }
  if (callee->getName() == kIndexCheck) {
    thread_.check(op(ExprOp::kUlt, used(*call.getArgOperand(0)), value(*call.getArgOperand(1))), here_,
                  "an index is outside of its array");
    return;
  }
  if (is_range_guard(call)) return range_guard(call);
  if (callee->getName().starts_with(kNotZero))
    return thread_.check(op(ExprOp::kNe, used(*call.getArgOperand(0)), number(0)), here_,
                         "the number of leading or trailing zeros of 0 is not defined");
  static const std::map<std::string_view, const char*> kRuntime = {
      {"__cxa_atexit", "a destructor or function that runs when the program ends"},
      {"__cxa_thread_atexit", "a destructor that runs when a thread ends"},
  };
  if (const auto found = kRuntime.find(std::string_view(callee->getName())); found != kRuntime.end()) {
    for (const llvm::Value* argument : call.args())
      if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(argument);
          variable != nullptr && variable->hasInitializer() &&
          variable->hasMetadata(llvm::LLVMContext::MD_dbg))
        lowering_.unit().reject(*variable, found->second);
    reject(call, found->second);
  }
  if (const auto what = library_call(*callee)) return library(call, *what);
  if (callee->isVarArg() && !callee->isDeclaration())
    reject(call, fmt::format("'{}', a function with a variable number of arguments", readable_name(*callee)));
  // What Clang calls where a processor has no instruction for the size.
  if (const auto bytes = call.arg_size() > 2 ? known(operand(call, 0)) : std::nullopt;
      bytes && callee->getName().starts_with("__atomic_"))
    reject(call, fmt::format("an atomic operation on {} bytes", *bytes),
           "atomic objects have 1, 2, 4, 8 or 16 bytes");
  reject(call, fmt::format("the function '{}', whose code is not here", readable_name(*callee)),
         "docs/c-reference.md lists the library functions that are known");
}

void Body::range_guard(const llvm::CallBase& call) {
  const ExprId number = used(*call.getArgOperand(0)), least = value(*call.getArgOperand(1)),
               most = value(*call.getArgOperand(2));
  const ExprId inside = op(ExprOp::kAnd, op(ExprOp::kLe, least, number), op(ExprOp::kLe, number, most));
  if (const auto known = builder_.constant_value(inside); known && *known != 0) return;
  thread_.limit(inside, here_,
                least == most ? "Fenceline does not support this use of the low bits of an address"
                              : "Fenceline does not support a negative or very large index of a pointer");
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
        thread_.check(used(*call.getArgOperand(0)), here_,
                      "an assumption of the program (__builtin_assume) does not hold");
      return;
    case llvm::Intrinsic::x86_sse2_mfence:
      return assembly_fence({FenceKinds::full(), ""});
    case llvm::Intrinsic::x86_sse2_lfence:
      return assembly_fence({FenceKinds::load_load() | FenceKinds::load_store(), ""});
    case llvm::Intrinsic::x86_sse_sfence:
      return assembly_fence({FenceKinds::store_store(), ""});
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
    case llvm::Intrinsic::stacksave:  // arrays of constant size are variables; others are rejected
      values_[&call] = number(0);
      return;
    case llvm::Intrinsic::stackrestore:
      return;
    case llvm::Intrinsic::vastart:
    case llvm::Intrinsic::vaend:
    case llvm::Intrinsic::vacopy:
      reject(call, "variable arguments");
    case llvm::Intrinsic::threadlocal_address: {
      const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(call.getArgOperand(0));
      if (variable == nullptr) reject(call, "a thread-local variable that is not known here");
      values_[&call] = number(lowering_.thread_local_copy(*variable, thread_.id(), call));
      return;
    }
    default:
      reject(call, fmt::format("the built-in function '{}'", call.getCalledFunction()->getName().str()));
  }
}

// What is understood has become other code (assembly.h).
void Body::assembly(const llvm::CallBase& call) {
  if (llvm::isa<llvm::CallBrInst>(call)) reject(call, "asm goto");
  const std::string text(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString());
  const std::string reason = reason_of(call);
  reject(call, fmt::format("the assembly \"{}\"", text), reason);
}

void Body::assembly_fence(const NamedFence& fence, const llvm::Value* behind_branch_on) {
  const auto mapping = lowering_.mapping();
  // Names that order nothing by themselves belong to one processor.
  const bool known = (fence.name == "ISB" && mapping == CompilationScheme::kAcquireRelease) ||
                     (fence.name == kIsync && mapping == CompilationScheme::kLeadingFences);
  if (fence.kinds.none() && !known) return;
  outside_of_atomic(*current_, "a fence");
  const std::string text = !fence.text.empty()   ? fence.text
                           : !fence.name.empty() ? llvm::StringRef(fence.name).lower()
                                                 : fence_instruction(fence.kinds, lowering_.unit().module());
  if (known && behind_branch_on != nullptr) {
    const Label behind = thread_.label();
    thread_.branch(used(*behind_branch_on), behind, behind, here_);
    thread_.bind(behind);
  }
  // Where the name is known, the kinds are what is nearest elsewhere.
  thread_.fence(known ? FenceKinds() : fence.kinds, here_, text);
  if (known) tag({{fence.name}, {}});
  if (mapping != CompilationScheme::kLanguage) return;
  if (const auto order = c11_fence_of(fence.kinds)) tag({{c11_tag(*order)}, {}});
}

// A variable in memory begins or ends. That is written into its cells where it is observable: if it begins
// more than once, and if something may access it afterwards.
void Body::lifetime(const llvm::IntrinsicInst& intrinsic) {
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(intrinsic.getArgOperand(1));
  const auto base = variable == nullptr ? std::nullopt : known(*variable);
  if (!base) return;
  const bool begins = intrinsic.getIntrinsicID() == llvm::Intrinsic::lifetime_start;
  if (begins ? loops_.getLoopFor(intrinsic.getParent()) == nullptr
             : !lowering_.lifetimes().is_seen_afterwards(*variable))
    return;
  const Memory::Block* block = lowering_.memory().block(*base, 0);
  require(block != nullptr, "a variable without memory");
  for (const Leaf& leaf : cells_at(*base, static_cast<Value>(block->size), "a variable", intrinsic)) {
    const ExprId address = number(*base + static_cast<Value>(leaf.offset));
    thread_.store(lowering_.at(address, leaf.bytes), number(begins ? kUndefined : kEnded), here_);
    tag(tags_of_store(MemoryOrder::kPlain, lowering_.mapping()));
  }
}

// The cells that a copy is about.
std::vector<Leaf> Body::cells_of(const llvm::Value& pointer, uint64_t size, const char* what,
                                 const llvm::CallBase& call) {
  if (const auto address = known(pointer)) return cells_at(*address, static_cast<Value>(size), what, call);
  if (auto cells = cells_behind(pointer, size, lowering_.unit(), lowering_.memory(), lowering_.points_to(),
                                lowering_.cells()))
    return std::move(*cells);
  return {};
}

void Body::fill(const llvm::CallBase& call) {
  const auto size = known(*call.getArgOperand(2));
  require(size.has_value(), "memset of a size that is not a constant");
  const std::vector<Leaf> cells =
      cells_of(*call.getArgOperand(0), static_cast<uint64_t>(*size), "memset", call);
  if (cells.empty() && *size != 0) reject(call, "memset of an object that is not known here");
  const ExprId target = used(*call.getArgOperand(0)), byte = used(*call.getArgOperand(1));
  check_tracked(*call.getArgOperand(0));
  check_writable(*call.getArgOperand(0));
  for (const Leaf& cell : cells) {
    Parts bytes;
    for (uint64_t i = 0; i < cell.bytes; ++i) bytes.push_back({i, 1, byte, false});
    emit_store(part_address(target, cell.offset), cell.bytes, gathered(bytes, 0, cell.bytes),
               MemoryOrder::kPlain, here_);
  }
}

void Body::copy(const llvm::CallBase& call) {
  const auto length = known(*call.getArgOperand(2));
  require(length.has_value(), "memcpy of a size that is not a constant");
  const auto size = static_cast<uint64_t>(*length);
  std::vector<Leaf> to = cells_of(*call.getArgOperand(0), size, "memcpy", call),
                    from = cells_of(*call.getArgOperand(1), size, "memcpy", call);
  // If one side is not known, it has the cells of the other one, or is a scalar.
  if (to.empty() && from.empty() && size != 0) {
    if (size != 1 && size != 2 && size != 4 && size != 8)
      reject(call, "memcpy between objects that are not known here");
    from.push_back({0, static_cast<uint8_t>(size), ""});
  }
  if (to.empty()) to = from;
  if (from.empty()) from = to;
  const ExprId target = used(*call.getArgOperand(0)), source = used(*call.getArgOperand(1));
  for (const unsigned i : {0U, 1U}) check_tracked(*call.getArgOperand(i));
  check_writable(*call.getArgOperand(0));
  Parts copied;
  const auto read = [&](const Leaf& cell) {
    const RegId reg = thread_.temp();
    emit_load(reg, part_address(source, cell.offset), cell.bytes, MemoryOrder::kPlain, here_);
    copied.push_back({cell.offset, cell.bytes, builder_.reg(reg), true});
  };
  const auto write = [&](const Leaf& cell) {
    emit_store(part_address(target, cell.offset), cell.bytes, gathered(copied, cell.offset, cell.bytes),
               MemoryOrder::kPlain, here_);
  };
  // All is read first where the two may overlap. Elsewhere a cell is written when it has been read.
  const bool at_once = llvm::cast<llvm::IntrinsicInst>(call).getIntrinsicID() == llvm::Intrinsic::memmove;
  auto next = from.begin();
  for (const Leaf& cell : to) {
    while (next != from.end() && (at_once || next->offset < cell.offset + cell.bytes)) read(*next++);
    write(cell);
  }
}

std::string Body::text(const llvm::Value& value, const llvm::Instruction& user) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value.stripPointerCasts());
  const auto* data = variable != nullptr && variable->isConstant() && variable->hasInitializer()
                         ? llvm::dyn_cast<llvm::ConstantDataArray>(variable->getInitializer())
                         : nullptr;
  if (data == nullptr || !data->isCString()) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&user);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    reject(user, fmt::format("{} with a text that is not a literal",
                             callee == nullptr ? "a call" : readable_name(*callee)));
  }
  return data->getAsCString().str();
}

}  // namespace fenceline::frontend::c
