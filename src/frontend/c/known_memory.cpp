// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/known_memory.h"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "env/errors.h"
#include "frontend/c/library.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

constexpr unsigned kMostVisits = 64;  // of a block until its state is given up

bool is_scalar_type(const llvm::Type& type) {
  return type.isPointerTy() || (type.isIntegerTy() && type.getIntegerBitWidth() <= 64);
}

// A number, or the address of a variable or function.
bool is_plain(const llvm::Constant& constant) {
  if (llvm::isa<llvm::ConstantInt>(constant) || llvm::isa<llvm::ConstantPointerNull>(constant) ||
      llvm::isa<llvm::Function>(constant))
    return true;
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant))
    return !variable->isThreadLocal() && !is_never_set(*variable);
  const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
  return expression != nullptr && expression->getOpcode() == llvm::Instruction::GetElementPtr &&
         is_plain(*expression->getOperand(0));
}

}  // namespace

KnownMemory::KnownMemory(const Functions& functions, const PointsTo& points_to, const Lifetimes& lifetimes,
                         const llvm::DataLayout& layout)
    : points_to_(points_to),
      lifetimes_(lifetimes),
      layout_(layout),
      concurrent_writes_(points_to, layout),
      late_writes_(points_to, layout) {
  for (llvm::Function* function : functions.sequence) {
    sequence_.insert(function);
    for (auto scc = llvm::scc_begin(function); !scc.isAtEnd(); ++scc)
      if (scc.hasCycle()) repeated_.insert(scc->begin(), scc->end());
  }
  for (llvm::Function* function : functions.others)
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      late_.insert(&instruction);
      concurrent_writes_.add(instruction);
    }
  std::optional<State> state = State();
  for (llvm::Function* function : functions.sequence)
    if (state) state = execute(*function, *state);
  if (state && !state->concurrent) {
    if (started_)
      join(*started_, *state);
    else
      started_ = *state;
  }
  find_starts(functions);
  for (const llvm::Instruction* instruction : late_) late_writes_.add(*instruction);
  for (llvm::Function* function : functions.others) find_late_loads(*function);
  for (llvm::Function* function : functions.sequence) find_late_loads(*function);
}

// ---- Objects ----

// Is there one instance of it, which a store to a known offset overwrites?
bool KnownMemory::is_single(uint32_t object) const {
  const llvm::Value* origin = points_to_.object(object).origin;
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(origin)) return !variable->isThreadLocal();
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(origin);
  return instruction != nullptr && sequence_.contains(instruction->getFunction()) &&
         !repeated_.contains(instruction->getParent());
}

// Such objects are not written: an attempt is an error.
bool KnownMemory::is_constant(uint32_t object) const {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(points_to_.object(object).origin);
  return variable != nullptr && variable->isConstant();
}

bool KnownMemory::is_allocated(uint32_t object) const {
  return llvm::isa<llvm::CallBase>(points_to_.object(object).origin);
}

KnownMemory::Content KnownMemory::initial(uint32_t object) const {
  const PointsTo::Object& known = points_to_.object(object);
  const auto size = static_cast<int64_t>(known.size);
  llvm::Constant* from = nullptr;
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(known.origin)) {
    if (variable->hasInitializer() && !variable->isExternallyInitialized())
      from = const_cast<llvm::Constant*>(variable->getInitializer());
  } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(known.origin);
             call != nullptr && size > 0 && allocates_zeroes(*call)) {
    from = llvm::ConstantAggregateZero::get(
        llvm::ArrayType::get(llvm::Type::getInt8Ty(call->getContext()), known.size));
  }
  return size == 0 ? Content{} : Content{{0, {size, from, 0}}};
}

const KnownMemory::Content& KnownMemory::content(const State& state, uint32_t object,
                                                 Content& storage) const {
  const auto found = state.objects.find(object);
  if (found != state.objects.end()) return found->second;
  return storage = initial(object);
}

// The bytes that an access is to, if there is only one place where it can be.
std::optional<KnownMemory::Span> KnownMemory::exact(const llvm::Value& pointer, uint64_t bytes) const {
  const Targets targets = points_to_.of(pointer);
  if (targets.unknown || targets.locations.size() != 1) return std::nullopt;
  const Target& target = *targets.locations.begin();
  const uint64_t size = points_to_.object(target.object).size;
  if (target.stride != 0 || target.offset < 0 || bytes > size ||
      static_cast<uint64_t>(target.offset) > size - bytes)
    return std::nullopt;
  return Span{target.object, target.offset, target.offset + static_cast<int64_t>(bytes)};
}

// ---- States ----

llvm::Constant* KnownMemory::read(const Content& content, int64_t offset, llvm::Type& type) const {
  auto piece = content.upper_bound(offset);
  if (piece == content.begin()) return nullptr;
  --piece;
  const auto bytes = static_cast<int64_t>(layout_.getTypeStoreSize(&type).getFixedValue());
  const auto& [begin, what] = *piece;
  if (what.from == nullptr || offset + bytes > begin + what.bytes) return nullptr;
  const llvm::APInt at(64, static_cast<uint64_t>(what.shift + offset - begin));
  llvm::Constant* value = what.from->getType() == &type && at.isZero()
                              ? what.from
                              : llvm::ConstantFoldLoadFromConst(what.from, &type, at, layout_);
  return value != nullptr && value->getType() == &type && is_plain(*value) ? value : nullptr;
}

llvm::Constant* KnownMemory::lookup(const State& state, const Span& span, llvm::Type& type) const {
  if (state.all_lost) return nullptr;
  Content storage;
  return read(content(state, span.object, storage), span.begin, type);
}

// A piece begins there.
void KnownMemory::split(Content& content, int64_t at) {
  auto piece = content.upper_bound(at);
  if (piece == content.begin()) return;
  --piece;
  const int64_t first = at - piece->first;
  if (first == 0 || first >= piece->second.bytes) return;
  const Piece rest{piece->second.bytes - first, piece->second.from, piece->second.shift + first};
  piece->second.bytes = first;
  content.emplace(at, rest);
}

void KnownMemory::write(State& state, const Span& span, llvm::Constant* from) const {
  if (is_constant(span.object)) return;
  auto [entry, added] = state.objects.try_emplace(span.object);
  Content& content = entry->second;
  if (added) content = initial(span.object);
  const auto size = static_cast<int64_t>(points_to_.object(span.object).size);
  const int64_t begin = std::max<int64_t>(span.begin, 0), end = std::min(span.end, size);
  if (begin >= end) return;
  split(content, begin);
  split(content, end);
  content.erase(content.lower_bound(begin), content.lower_bound(end));
  content[begin] = {end - begin, from, begin - span.begin};
}

void KnownMemory::lose(State& state, uint32_t object) const {
  write(state, {object, 0, kEndOfObject}, nullptr);
}

// All that the pointer may point to becomes unknown.
void KnownMemory::write_everywhere(State& state, const Effects::Write& one) const {
  const auto& [pointer, bytes, frees] = one;
  const Targets targets = points_to_.of(*pointer);
  state.all_lost |= targets.unknown;
  for (const Target& target : targets.locations)
    if (frees && !is_allocated(target.object))
      continue;
    else if (!bytes)
      lose(state, target.object);
    else if (target.stride != 0)
      write(state, {target.object, target.first(), kEndOfObject}, nullptr);
    else
      write(state, {target.object, target.offset, target.offset + static_cast<int64_t>(*bytes)}, nullptr);
}

bool KnownMemory::same_bytes(const Piece& a, const Piece& b) const {
  if (a.from == nullptr || b.from == nullptr || a.bytes != b.bytes) return false;
  if (a.from == b.from && a.shift == b.shift) return true;
  if (a.bytes > 8 || (a.bytes & (a.bytes - 1)) != 0) return false;
  llvm::LLVMContext& context = a.from->getContext();
  llvm::Type* number = llvm::Type::getIntNTy(context, static_cast<unsigned>(8 * a.bytes));
  for (llvm::Type* type : {number, static_cast<llvm::Type*>(llvm::PointerType::getUnqual(context))}) {
    if (static_cast<int64_t>(layout_.getTypeStoreSize(type).getFixedValue()) != a.bytes) continue;
    const llvm::Constant* x = read({{0, a}}, 0, *type);
    if (x != nullptr && x == read({{0, b}}, 0, *type)) return true;
  }
  return false;
}

// What is known in both. True if that is less than what was known in the first.
bool KnownMemory::join(State& into, const State& from) const {
  const State before = into;
  into.all_lost |= from.all_lost;
  into.concurrent |= from.concurrent;
  std::set<uint32_t> objects;
  for (const auto& [object, pieces] : into.objects) objects.insert(object);
  for (const auto& [object, pieces] : from.objects) objects.insert(object);
  for (const uint32_t object : objects) {
    Content ours = into.objects.contains(object) ? into.objects[object] : initial(object);
    Content storage, theirs = content(from, object, storage);
    for (const auto& [at, piece] : Content(theirs)) split(ours, at);
    for (const auto& [at, piece] : Content(ours)) split(theirs, at);
    for (auto& [at, piece] : ours)
      if (const auto other = theirs.find(at);
          piece.from != nullptr && (other == theirs.end() || !same_bytes(piece, other->second)))
        piece = {piece.bytes, nullptr, 0};
    // Neighbours that are both unknown are one.
    for (auto piece = ours.begin(); piece != ours.end();) {
      const auto next = std::next(piece);
      if (next != ours.end() && piece->second.from == nullptr && next->second.from == nullptr) {
        piece->second.bytes += next->second.bytes;
        ours.erase(next);
      } else {
        piece = next;
      }
    }
    into.objects[object] = std::move(ours);
  }
  return !(into == before);
}

// ---- Instructions ----

void KnownMemory::copy(State& state, const llvm::CallBase& call, uint64_t bytes) const {
  const auto to = exact(*call.getArgOperand(0), bytes), from = exact(*call.getArgOperand(1), bytes);
  if (!to || !is_single(to->object)) return write_everywhere(state, {call.getArgOperand(0), bytes});
  Content storage, source;
  // Other threads may have written there.
  const bool is_lost = state.all_lost || (state.concurrent && from && concurrent_writes_.overlaps(*from));
  if (from && !is_lost) source = content(state, from->object, storage);
  write(state, *to, nullptr);
  if (!from) return;
  split(source, from->begin);
  split(source, from->end);
  for (auto piece = source.lower_bound(from->begin); piece != source.end() && piece->first < from->end;
       ++piece) {
    const int64_t at = to->begin + piece->first - from->begin;
    write(state, {to->object, at, at + piece->second.bytes}, piece->second.from);
    if (piece->second.from != nullptr && !is_constant(to->object))
      state.objects.at(to->object).at(at).shift = piece->second.shift;
  }
}

void KnownMemory::step(State& state, const llvm::Instruction& instruction) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    const uint64_t bytes = layout_.getTypeStoreSize(store->getValueOperand()->getType());
    const auto span = exact(*store->getPointerOperand(), bytes);
    auto* value = llvm::dyn_cast<llvm::Constant>(const_cast<llvm::Value*>(store->getValueOperand()));
    if (!span || !is_single(span->object))
      return write_everywhere(state, {store->getPointerOperand(), bytes});
    const bool known = value != nullptr && is_scalar_type(*value->getType()) && is_plain(*value);
    return write(state, *span, known ? value : nullptr);
  }
  if (const auto* intrinsic = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(intrinsic->getLength());
    if (length != nullptr && llvm::isa<llvm::MemTransferInst>(intrinsic))
      return copy(state, *intrinsic, length->getZExtValue());
    const auto* set = llvm::dyn_cast<llvm::MemSetInst>(intrinsic);
    const auto* byte = set == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(set->getValue());
    if (length != nullptr && !length->isZero() && byte != nullptr)
      if (const auto span = exact(*intrinsic->getRawDest(), length->getZExtValue());
          span && is_single(span->object)) {
        const std::vector<uint8_t> bytes(length->getZExtValue(), static_cast<uint8_t>(byte->getZExtValue()));
        return write(state, *span,
                     llvm::ConstantDataArray::get(instruction.getContext(), llvm::ArrayRef(bytes)));
      }
  }
  const Effects effects = effects_of(instruction, layout_);
  for (const Effects::Write& write : effects.writes) write_everywhere(state, write);
  // What a thread does comes later.
  state.all_lost |= effects.writes_anywhere && !effects.starts_thread;
  state.concurrent |= effects.starts_thread;
}

// The state at the end of the function, if it can end; what its loads are is recorded on the way.
std::optional<KnownMemory::State> KnownMemory::execute(llvm::Function& function, const State& entry) {
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  std::map<const llvm::BasicBlock*, State> states;
  std::map<const llvm::BasicBlock*, unsigned> visits;
  states[&function.getEntryBlock()] = entry;
  std::set<const llvm::BasicBlock*> todo{&function.getEntryBlock()};
  while (!todo.empty())
    for (const llvm::BasicBlock* block : order) {
      if (todo.erase(block) == 0) continue;
      State state = states.at(block);
      if (++visits[block] > kMostVisits) state.all_lost = true;
      for (const llvm::Instruction& instruction : *block) step(state, instruction);
      for (const llvm::BasicBlock* next : llvm::successors(block)) {
        const auto [known, added] = states.emplace(next, state);
        if (added || join(known->second, state)) todo.insert(next);
      }
    }
  std::optional<State> end;
  const auto meet = [&](std::optional<State>& into, const State& from) {
    if (into)
      join(*into, from);
    else
      into = from;
  };
  for (llvm::BasicBlock* block : order) {
    State state = states.at(block);
    if (visits[block] > kMostVisits) state.all_lost = true;
    for (llvm::Instruction& instruction : *block) {
      if (state.concurrent) {
        late_.insert(&instruction);
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (const auto span = exact(*load->getPointerOperand(), layout_.getTypeStoreSize(load->getType())))
          if (is_scalar_type(*load->getType())) found(*load, lookup(state, *span, *load->getType()));
      }
      const Effects effects = effects_of(instruction, layout_);
      step(state, instruction);
      if (!effects.starts_thread) continue;
      if (effects.writes_anywhere) late_writes_.add_anywhere();
      meet(started_, state);
      start(llvm::cast<llvm::CallBase>(instruction), state);
    }
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) meet(end, state);
  }
  return end;
}

// ---- Where threads run ----

// The call starts a thread in this state.
void KnownMemory::start(const llvm::CallBase& call, const State& state) {
  const llvm::Function* function = started_by(call);
  if (function == nullptr) return;
  const auto [known, added] =
      starts_.emplace(function, Start{state, 0, WrittenSpans(points_to_, layout_), {}});
  if (!added) join(known->second.state, state);
  known->second.calls += repeated_.contains(call.getParent()) ? 2 : 1;
}

// What the sequence may write behind the starts of threads that it starts alone.
void KnownMemory::find_starts(const Functions& functions) {
  const auto starts_in = [](llvm::Function& function) {
    std::vector<const llvm::CallBase*> calls;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && starts_thread(*call))
        calls.push_back(call);
    return calls;
  };
  for (llvm::Function* function : functions.others)
    for (const llvm::CallBase* call : starts_in(*function)) {
      if (started_by(*call) == nullptr) return starts_.clear();
      starts_.erase(started_by(*call));
    }
  std::vector<Start*> running;
  for (llvm::Function* function : functions.sequence) {
    for (const llvm::Instruction& instruction : llvm::instructions(*function))
      for (Start* start : running) start->behind.add(instruction);
    for (const llvm::CallBase* call : starts_in(*function)) {
      if (started_by(*call) == nullptr) return starts_.clear();
      const auto found = starts_.find(started_by(*call));
      if (found == starts_.end()) continue;
      add_behind(*call, found->second.behind);
      running.push_back(&found->second);
    }
  }
  add_threads(functions);
}

// What threads write, into what the others must not find changed.
void KnownMemory::add_threads(const Functions& functions) {
  for (auto& [started, start] : starts_)
    for (llvm::Function* function : functions.others)
      for (const llvm::Instruction& instruction : llvm::instructions(*function))
        if (function != started || start.calls > 1) {
          start.behind.add(instruction);
        } else {
          WrittenSpans spans(points_to_, layout_);
          spans.add(instruction);
          if (!spans.empty()) start.own.emplace_back(&instruction, std::move(spans));
        }
}

// All that its function may execute after the call.
void KnownMemory::add_behind(const llvm::CallBase& call, WrittenSpans& spans) {
  for (const llvm::Instruction* next = call.getNextNode(); next != nullptr; next = next->getNextNode())
    spans.add(*next);
  std::vector<const llvm::BasicBlock*> todo{call.getParent()};
  std::set<const llvm::BasicBlock*> seen;
  while (!todo.empty()) {
    const llvm::BasicBlock* block = todo.back();
    todo.pop_back();
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      if (!seen.insert(next).second) continue;
      for (const llvm::Instruction& instruction : *next) spans.add(instruction);
      todo.push_back(next);
    }
  }
}

bool KnownMemory::may_precede(const llvm::Instruction& first, const llvm::Instruction& second) const {
  if (first.getParent() == second.getParent() && first.comesBefore(&second)) return true;
  const auto [found, added] = reachable_.try_emplace(first.getParent());
  std::set<const llvm::BasicBlock*>& seen = found->second;
  std::vector<const llvm::BasicBlock*> todo;
  if (added) todo.push_back(first.getParent());
  while (!todo.empty()) {
    const llvm::BasicBlock* block = todo.back();
    todo.pop_back();
    for (const llvm::BasicBlock* next : llvm::successors(block))
      if (seen.insert(next).second) todo.push_back(next);
  }
  return seen.contains(second.getParent());
}

bool KnownMemory::is_written_late(const Span& span, const llvm::LoadInst& load, const Start* start) const {
  if (is_constant(span.object)) return false;
  if (start == nullptr) return late_writes_.overlaps(span);
  return start->behind.overlaps(span) || llvm::any_of(start->own, [&](const auto& write) {
           return write.second.overlaps(span) && may_precede(*write.first, load);
         });
}

// Where a load reads from, if nothing writes there while threads run, and if the load orders nothing by itself.
std::optional<KnownMemory::Span> KnownMemory::settled(const llvm::LoadInst& load, const Start* start) const {
  if (llvm::isStrongerThanMonotonic(load.getOrdering())) return std::nullopt;
  const auto span = exact(*load.getPointerOperand(), layout_.getTypeStoreSize(load.getType()));
  return span && !is_written_late(*span, load, start) ? span : std::nullopt;
}

void KnownMemory::find_late_loads(llvm::Function& function) {
  if (!started_ || has_partial_fence(function)) return;
  const auto known = starts_.find(&function);
  // Atomic variables are for several threads: what they hold when a thread begins is read as any other value.
  const auto start_for = [&](const llvm::LoadInst& load) {
    return known == starts_.end() || load.isAtomic() ? nullptr : &known->second;
  };
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || !late_.contains(load) || !is_scalar_type(*load->getType())) continue;
    const Start* start = start_for(*load);
    const auto span = settled(*load, start);
    const auto is_settled = [&](const llvm::LoadInst& other) {
      return settled(other, start_for(other)).has_value();
    };
    if (span && !depends_on_load(*load->getPointerOperand(), is_settled))
      found(*load, lookup(start == nullptr ? *started_ : start->state, *span, *load->getType()));
  }
}

// An access that is an error stays.
void KnownMemory::found(llvm::LoadInst& load, llvm::Constant* value) {
  const uint64_t bytes = layout_.getTypeStoreSize(load.getType());
  if (value == nullptr || load.getAlign().value() < bytes || lifetimes_.may_come_too_late(load)) return;
  const auto span = exact(*load.getPointerOperand(), bytes);
  if (span && span->begin % static_cast<int64_t>(bytes) == 0) loads_.push_back({&load, value});
}

}  // namespace fenceline::frontend::c
