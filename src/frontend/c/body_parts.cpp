// SPDX-License-Identifier: GPL-3.0-or-later
//
// Values in parts: accesses that cover several cells (cells.h), and integers of more than 64 bits. The parts of
// a value that was loaded are kept, so that a copy of it copies cell by cell, also what was never set.
//
// The parts of an access belong together (ThreadBuilder::access_begin), unless it is torn (cells.h). Three kinds
// of accesses need not say so: those in atomic sections, those that no other thread can be concurrent with, and
// in the language those that are not atomic, since an access that is concurrent with these is a data race.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>

#include "env/errors.h"
#include "frontend/c/body.h"
#include "frontend/c/effects.h"

namespace fenceline::frontend::c {
namespace {

constexpr uint64_t kWord = 8;

}  // namespace

// ---- Values ----

Body::Parts Body::parts(const llvm::Value& value) {
  if (const auto found = parts_.find(&value); found != parts_.end()) return found->second;
  const uint64_t bits = bit_width(*value.getType()), bytes = (bits + 7) / 8;
  if (bits <= 64) return {{0, static_cast<uint8_t>(bytes), this->value(value), may_be_undefined(value)}};
  Parts words;
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value);
  const bool unset = llvm::isa<llvm::UndefValue>(value) || is_never_set(value);
  if (constant == nullptr && !unset) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    reject(instruction != nullptr ? *instruction : *current_, words_for(*value.getType()));
  }
  for (uint64_t at = 0; at < bytes; at += kWord)
    words.push_back(
        {at, static_cast<uint8_t>(std::min(kWord, bytes - at)),
         number(unset ? kUndefined
                      : constant->getValue()
                            .extractBits(static_cast<unsigned>(std::min<uint64_t>(64, bits - 8 * at)),
                                         static_cast<unsigned>(8 * at))
                            .getSExtValue()),
         unset});
  return words;
}

// So many bytes of it from `begin` on, as one number. What no part covers is padding, and 0.
ExprId Body::gathered(const Parts& parts, uint64_t begin, uint64_t bytes) {
  const uint64_t end = begin + bytes;
  Parts inside;
  for (const Part& part : parts)
    if (part.offset < end && part.offset + part.bytes > begin) inside.push_back(part);
  if (inside.empty()) return number(kUndefined);
  if (inside.size() == 1 && inside.front().offset == begin && inside.front().bytes == bytes)
    return inside.front().value;
  ExprId whole = number(0), all_set = number(1), none_set = number(1);
  bool may_be_undefined = false;
  for (const Part& part : inside) {
    const uint64_t first = std::max(begin, part.offset), last = std::min(end, part.offset + part.bytes);
    const auto bits = static_cast<int>(8 * (last - first));
    ExprId piece = part.value;
    if (first > part.offset)
      piece = op(ExprOp::kShr, piece, number(static_cast<Value>(8 * (first - part.offset))));
    // The highest one has the sign: so all fits into 64 bits.
    if (bits < 64) piece = builder_.wrap(piece, last == end ? bits : -bits);
    if (first > begin) piece = op(ExprOp::kShl64, piece, number(static_cast<Value>(8 * (first - begin))));
    whole = op(ExprOp::kBitOr, whole, piece);
    if (!part.may_be_undefined) continue;
    may_be_undefined = true;
    all_set = op(ExprOp::kAnd, all_set, op(ExprOp::kNe, part.value, number(kUndefined)));
    if (may_be_set_in_part(8U * part.bytes)) all_set = op(ExprOp::kAnd, all_set, is_whole(part.value));
    none_set = op(ExprOp::kAnd, none_set, op(ExprOp::kEq, part.value, number(kUndefined)));
  }
  const bool padded = inside.back().offset + inside.back().bytes < end;
  if (padded && bytes < kWord) whole = builder_.wrap(whole, static_cast<int>(8 * bytes));
  const bool any_is_set =
      std::ranges::any_of(inside, [](const Part& part) { return !part.may_be_undefined; });
  if (may_be_undefined) {
    thread_.limit(any_is_set ? all_set : op(ExprOp::kOr, all_set, none_set), here_,
                  "Fenceline does not support a value of which a part was never set");
    if (bytes == kWord) require_no_mark(builder_.select(all_set, whole, number(0)));
    whole = builder_.select(all_set, whole, number(kUndefined));
  }
  const RegId reg = registers_.take();
  thread_.assign({reg}, whole, here_);
  return builder_.reg(reg);
}

Body::Parts Body::divided(const Parts& parts, const std::vector<Leaf>& pieces) {
  Parts result;
  for (const Leaf& piece : pieces) {
    bool may_be_undefined = false;
    for (const Part& part : parts)
      may_be_undefined |= part.may_be_undefined && part.offset < piece.offset + piece.bytes &&
                          part.offset + part.bytes > piece.offset;
    result.push_back(
        {piece.offset, piece.bytes, gathered(parts, piece.offset, piece.bytes), may_be_undefined});
  }
  return result;
}

// What was loaded or computed in parts, as it is used.
void Body::define_parts(const llvm::Instruction& instruction, Parts parts) {
  const llvm::Type& type = *instruction.getType();
  const bool is_copied_only = std::ranges::all_of(instruction.users(), [&](const llvm::User* user) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    return store != nullptr && store->getValueOperand() == &instruction;
  });
  if (is_scalar(type) && !is_copied_only)
    values_[&instruction] = gathered(parts, 0, (bit_width(type) + 7) / 8);
  parts_[&instruction] = std::move(parts);
}

ExprId Body::word(const llvm::Value& value, unsigned index) {
  const uint64_t bytes = (bit_width(*value.getType()) + 7) / 8, begin = kWord * index;
  const ExprId result = gathered(parts(value), begin, std::min(kWord, bytes - begin));
  const Parts all = parts(value);
  if (std::ranges::any_of(all, [](const Part& part) { return part.may_be_undefined; }))
    require_set(result, here_);
  return result;
}

// ---- Integers of more than 64 bits: compare-and-exchange of two words, and runs of bit fields ----

void Body::define_words(const llvm::Instruction& instruction, std::vector<ExprId> words) {
  const unsigned bits = bit_width(*instruction.getType());
  Parts parts;
  for (size_t i = 0; i < words.size(); ++i) {
    const uint64_t at = kWord * i, rest = (bits + 7) / 8 - at;
    // What is above the highest bit is the sign.
    if (rest < kWord || bits % 64 != 0)
      if (i + 1 == words.size()) words[i] = builder_.wrap(words[i], static_cast<int>(bits - 8 * at));
    if (!builder_.constant_value(words[i])) {
      const RegId reg = registers_.take();
      thread_.assign({reg}, words[i], here_);
      words[i] = builder_.reg(reg);
    }
    parts.push_back({at, static_cast<uint8_t>(std::min(kWord, rest)), words[i], false});
  }
  parts_[&instruction] = std::move(parts);
}

std::vector<ExprId> Body::words(const llvm::Value& value) {
  std::vector<ExprId> result;
  for (unsigned i = 0; 64 * i < bit_width(*value.getType()); ++i) result.push_back(word(value, i));
  return result;
}

void Body::shift_words(const llvm::BinaryOperator& instruction) {
  const unsigned bits = bit_width(*instruction.getType());
  const auto* by = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
  if (by == nullptr || by->getValue().uge(bits))
    reject(instruction, fmt::format("a shift of {} bits by a number that is not a constant", bits));
  const uint64_t distance = by->getZExtValue();
  const auto skipped = static_cast<size_t>(distance / 64);
  const auto rest = static_cast<Value>(distance % 64);
  const bool left = instruction.getOpcode() == llvm::Instruction::Shl;
  const bool is_signed = instruction.getOpcode() == llvm::Instruction::AShr;
  std::vector<ExprId> from = words(*instruction.getOperand(0));
  const size_t count = from.size();
  const ExprId fill = is_signed ? op(ExprOp::kShr, from.back(), number(63)) : number(0);
  if (!is_signed && bits % 64 != 0) from.back() = builder_.wrap(from.back(), -static_cast<int>(bits % 64));
  const auto at = [&](size_t i) { return i < count ? from[i] : fill; };
  const auto both = [&](ExprId high, ExprId low,
                        Value low_bits) {  // the low bits of one behind those of the other
    if (low_bits == 0) return high;
    return op(ExprOp::kBitOr, op(ExprOp::kShl64, high, number(low_bits)),
              shifted_right(low, number(64 - low_bits)));
  };
  std::vector<ExprId> result;
  for (size_t i = 0; i < count; ++i) {
    if (left)
      result.push_back(i < skipped
                           ? number(0)
                           : both(from[i - skipped], i > skipped ? from[i - skipped - 1] : number(0), rest));
    else
      result.push_back(rest == 0 ? at(i + skipped) : both(at(i + skipped + 1), at(i + skipped), 64 - rest));
  }
  define_words(instruction, std::move(result));
}

// True if the instruction has to do with such integers.
bool Body::wide_instruction(const llvm::Instruction& instruction) {
  using llvm::Instruction;
  const llvm::Type& type = *instruction.getType();
  const auto operand = [&](unsigned i) -> const llvm::Value& { return *instruction.getOperand(i); };
  if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
    if (!is_wide(*operand(0).getType())) return false;
    if (!compare->isEquality())
      reject(instruction, "a comparison of more than 64 bits other than for equality");
    const std::vector<ExprId> a = words(operand(0)), b = words(operand(1));
    ExprId equal = number(1);
    for (size_t i = 0; i < a.size(); ++i) equal = op(ExprOp::kAnd, equal, op(ExprOp::kEq, a[i], b[i]));
    define(instruction,
           compare->getPredicate() == llvm::ICmpInst::ICMP_EQ ? equal : builder_.unary(ExprOp::kNot, equal));
    return true;
  }
  if (instruction.getOpcode() == Instruction::Trunc && is_wide(*operand(0).getType())) {
    std::vector<ExprId> from = words(operand(0));
    if (is_scalar(type)) {
      define(instruction, wrapped(from.front(), type));
    } else {
      from.resize((bit_width(type) + 63) / 64);
      define_words(instruction, std::move(from));
    }
    return true;
  }
  if (!is_wide(type)) return false;
  switch (instruction.getOpcode()) {
    case Instruction::ZExt:
    case Instruction::SExt:
      extend_words(instruction);
      return true;
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor: {
      const ExprOp which = instruction.getOpcode() == Instruction::And  ? ExprOp::kBitAnd
                           : instruction.getOpcode() == Instruction::Or ? ExprOp::kBitOr
                                                                        : ExprOp::kBitXor;
      std::vector<ExprId> a = words(operand(0));
      const std::vector<ExprId> b = words(operand(1));
      for (size_t i = 0; i < a.size(); ++i) a[i] = op(which, a[i], b[i]);
      define_words(instruction, std::move(a));
      return true;
    }
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
      shift_words(llvm::cast<llvm::BinaryOperator>(instruction));
      return true;
    case Instruction::Select: {
      const ExprId condition = used(operand(0));
      std::vector<ExprId> a = words(operand(1));
      const std::vector<ExprId> b = words(operand(2));
      for (size_t i = 0; i < a.size(); ++i) a[i] = builder_.select(condition, a[i], b[i]);
      define_words(instruction, std::move(a));
      return true;
    }
    case Instruction::Freeze:
      parts_[&instruction] = parts(operand(0));
      return true;
    default:
      return false;
  }
}

void Body::extend_words(const llvm::Instruction& instruction) {
  const llvm::Value& operand = *instruction.getOperand(0);
  const bool is_signed = instruction.getOpcode() == llvm::Instruction::SExt;
  const unsigned from = bit_width(*operand.getType());
  std::vector<ExprId> result;
  if (from <= 64) {
    result.push_back(used(operand));
    if (is_signed && from == 1) result.front() = builder_.unary(ExprOp::kNeg, result.front());
  } else {
    result = words(operand);
  }
  if (!is_signed && from > 1 && from % 64 != 0)
    result.back() = builder_.wrap(result.back(), -static_cast<int>(from % 64));
  const ExprId fill = is_signed ? op(ExprOp::kShr, result.back(), number(63)) : number(0);
  result.resize((bit_width(*instruction.getType()) + 63) / 64, fill);
  define_words(instruction, std::move(result));
}

// ---- Accesses ----

bool Body::executes_alone() const { return call_.alone || (call_.is_main && !follows_start(*current_)); }

bool Body::is_one_access(const llvm::Value& pointer, MemoryOrder order) const {
  if (section_ != nullptr || executes_alone()) return false;
  if (order == MemoryOrder::kPlain && lowering_.mapping() == CompilationScheme::kLanguage) return false;
  return !lowering_.points_to().is_private(pointer, function_);
}

ExprId Body::part_address(ExprId address, uint64_t offset) {
  return op(ExprOp::kAdd, address, number(static_cast<Value>(offset)));
}

Body::Parts Body::load_pieces(ExprId address, const std::vector<Leaf>& pieces, MemoryOrder order,
                              const AccessTags& tags) {
  Parts parts;
  for (const Leaf& piece : pieces) {
    const RegId reg = registers_.take();
    const ExprId here = part_address(address, piece.offset);
    check_cells(here, piece.bytes);
    thread_.load({reg}, lowering_.at(here, piece.bytes), here_, order);
    tag({tags.tags, {}});
    require_not_freed(builder_.reg(reg), here_);
    parts.push_back({piece.offset, piece.bytes, builder_.reg(reg), true});
  }
  return parts;
}

void Body::store_pieces(ExprId address, const Parts& parts, MemoryOrder order,
                        const std::vector<std::string>& tags) {
  for (const Part& part : parts) {
    const ExprId here = part_address(address, part.offset);
    check_cells(here, part.bytes);
    thread_.store(lowering_.at(here, part.bytes), part.value, here_, order);
    tag({tags, {}});
  }
}

// The processor may begin at either end: so each part of those into which it divides the access may come first.
template <class Pieces, class Emit>
void Body::in_either_order(const Pieces& pieces, const Emit& emit) {
  const Label upwards = thread_.label(), downwards = thread_.label(), done = thread_.label();
  const StepRole role = thread_.role(StepRole::kInternal);
  thread_.choose({upwards, downwards}, here_);
  thread_.role(role);
  thread_.bind(upwards);
  emit(pieces);
  thread_.jump(done);
  thread_.bind(downwards);
  emit(Pieces(pieces.rbegin(), pieces.rend()));
  thread_.bind(done);
}

template <class Pieces, class Emit>
void Body::access_pieces(const llvm::Instruction& instruction, const llvm::Value& pointer, MemoryOrder order,
                         const Pieces& pieces, const Emit& emit) {
  const bool one_access = is_one_access(pointer, order);
  const auto at_once = [&] {
    if (one_access) thread_.access_begin(here_);
    emit(pieces);
    if (one_access) thread_.atomic_end(here_);
  };
  const Tearing tearing = one_access ? lowering_.cells().tearing(instruction) : Tearing::kNever;
  if (tearing == Tearing::kNever) return at_once();
  if (tearing == Tearing::kAlways) return in_either_order(pieces, emit);
  const ExprId is_aligned = is_multiple(pointer, pieces.back().offset + pieces.back().bytes);
  if (const auto known = builder_.constant_value(is_aligned))
    return *known != 0 ? at_once() : in_either_order(pieces, emit);
  const Label whole = thread_.label(), torn = thread_.label(), done = thread_.label();
  const StepRole role = thread_.role(StepRole::kInternal);
  thread_.branch(is_aligned, whole, torn, here_);
  thread_.role(role);
  thread_.bind(whole);
  at_once();
  thread_.jump(done);
  thread_.bind(torn);
  in_either_order(pieces, emit);
  thread_.bind(done);
}

void Body::load_parts(const llvm::LoadInst& instruction, const std::vector<Leaf>& pieces) {
  const MemoryOrder order = order_of(instruction.getOrdering());
  const llvm::Value& pointer = *instruction.getPointerOperand();
  const ExprId address = used(pointer);
  const FencesAround fences = around_load(order, lowering_.mapping());
  emit_fence(fences.before, here_);
  Parts parts;
  // All ways to make the access load into the registers of the first.
  const auto load = [&](const std::vector<Leaf>& in_order) {
    Parts loaded = load_pieces(address, in_order, order, tags_of_load(order, lowering_.mapping()));
    if (parts.empty()) {
      parts = std::move(loaded);
      return;
    }
    for (const Part& part : loaded) {
      const auto same = std::ranges::find(parts, part.offset, &Part::offset);
      thread_.assign({builder_.expr(same->value).reg}, part.value, here_);
    }
  };
  access_pieces(instruction, pointer, order, pieces, load);
  emit_fence(fences.after, here_);
  define_parts(instruction, std::move(parts));
}

void Body::store_parts(const llvm::StoreInst& instruction, const std::vector<Leaf>& pieces) {
  const MemoryOrder order = order_of(instruction.getOrdering());
  const llvm::Value& pointer = *instruction.getPointerOperand();
  const ExprId address = used(pointer);
  const Parts stored = divided(parts(*instruction.getValueOperand()), pieces);
  const FencesAround fences = around_store(order, lowering_.mapping());
  emit_fence(fences.before, here_);
  if (lowering_.frees().looked_at || may_be_gone()) {
    const MemoryOrder weakest = order == MemoryOrder::kPlain ? order : MemoryOrder::kRelaxed;
    load_pieces(address, pieces, weakest, tags_of_load(weakest, lowering_.mapping()));
  }
  access_pieces(instruction, pointer, order, stored, [&](const Parts& in_order) {
    store_pieces(address, in_order, order, tags_of_store(order, lowering_.mapping()).tags);
  });
  emit_fence(fences.after, here_);
}

void Body::exchange_parts(const llvm::AtomicRMWInst& instruction, const std::vector<Leaf>& pieces) {
  const llvm::Type& type = *instruction.getType();
  const MemoryOrder order = order_of(instruction.getOrdering());
  const llvm::Value& pointer = *instruction.getPointerOperand();
  const ExprId address = used(pointer);
  Parts operand = parts(*instruction.getValOperand());
  const FencesAround fences = around_rmw(order, lowering_.mapping());
  const AccessTags tags = tags_of_rmw(order, lowering_.mapping(), true);
  const bool one_access = is_one_access(pointer, order);
  emit_fence(fences.before, here_);
  if (one_access) thread_.access_begin(here_);
  Parts old = load_pieces(address, pieces, order, tags);
  for (Part& part : old) {
    require_set(part.value, here_);
    part.may_be_undefined = false;
  }
  Parts fresh;
  if (instruction.getOperation() == llvm::AtomicRMWInst::Xchg) {
    fresh = operand;
  } else {
    if (!is_scalar(type)) reject(instruction, "this atomic operation on more than 64 bits");
    const auto bytes = static_cast<uint8_t>((bit_width(type) + 7) / 8);
    const auto updated =
        updated_value(instruction, gathered(old, 0, bytes), used(*instruction.getValOperand()));
    if (!updated)
      reject(instruction,
             fmt::format("the atomic operation '{}'",
                         llvm::AtomicRMWInst::getOperationName(instruction.getOperation()).str()));
    fresh = {{0, bytes, *updated, false}};
  }
  store_pieces(address, divided(fresh, pieces), order, tags.write_tags);
  if (one_access) thread_.atomic_end(here_);
  emit_fence(fences.after, here_);
  define_parts(instruction, std::move(old));
}

// What a read-modify-write stores; none if it is not known.
std::optional<ExprId> Body::updated_value(const llvm::AtomicRMWInst& instruction, ExprId old,
                                          ExprId operand) {
  const llvm::Type& type = *instruction.getType();
  const auto least = [&](ExprOp less) { return builder_.select(op(less, old, operand), old, operand); };
  switch (instruction.getOperation()) {
    case llvm::AtomicRMWInst::Xchg:
      return operand;
    case llvm::AtomicRMWInst::Add:
      return wrapped(op(ExprOp::kAdd64, old, operand), type);
    case llvm::AtomicRMWInst::Sub:
      return wrapped(op(ExprOp::kSub64, old, operand), type);
    case llvm::AtomicRMWInst::And:
      return op(ExprOp::kBitAnd, old, operand);
    case llvm::AtomicRMWInst::Nand:
      return builder_.unary(ExprOp::kBitNot, op(ExprOp::kBitAnd, old, operand));
    case llvm::AtomicRMWInst::Or:
      return op(ExprOp::kBitOr, old, operand);
    case llvm::AtomicRMWInst::Xor:
      return op(ExprOp::kBitXor, old, operand);
    case llvm::AtomicRMWInst::Min:
      return least(ExprOp::kLt);
    case llvm::AtomicRMWInst::Max:
      return least(ExprOp::kGt);
    case llvm::AtomicRMWInst::UMin:
      return least(ExprOp::kUlt);
    case llvm::AtomicRMWInst::UMax:
      return builder_.select(op(ExprOp::kUlt, operand, old), old, operand);
    default:
      return std::nullopt;
  }
}

// Whether it succeeds is guessed: what follows does not depend on what it compares. What is executed
// beforehand has one execution: there is no choice in it.
void Body::compare_exchange_parts(const llvm::AtomicCmpXchgInst& instruction,
                                  const std::vector<Leaf>& pieces) {
  const CompilationScheme mapping = lowering_.mapping();
  const llvm::Value& pointer = *instruction.getPointerOperand();
  const ExprId address = used(pointer);
  const bool by_name = mapping == CompilationScheme::kLanguage;
  const MemoryOrder success = order_of(instruction.getSuccessOrdering()),
                    failure = order_of(instruction.getFailureOrdering()),
                    merged = order_of(instruction.getMergedOrdering());
  // The order of the instruction; in C11, and for isync on Power, that of the outcome.
  const bool isync_differs = has_isync(success, mapping) != has_isync(failure, mapping);
  const AccessTags tags = tags_of_rmw(by_name || isync_differs ? success : merged, mapping, true);
  const AccessTags failure_tags = by_name || isync_differs ? tags_of_load(failure, mapping) : tags;
  const bool weak = instruction.isWeak() && !lowering_.is_determined();
  const bool one_access = is_one_access(pointer, success), alone = lowering_.is_determined();
  for (unsigned i = 0; i * kWord < access_size(*instruction.getCompareOperand()->getType(), instruction); ++i)
    word(*instruction.getCompareOperand(), i);  // what was never set is an error
  const Parts expected = divided(parts(*instruction.getCompareOperand()), pieces),
              desired = divided(parts(*instruction.getNewValOperand()), pieces);
  const RegId succeeded = registers_.take();
  succeeded_[&instruction] = builder_.reg(succeeded);
  std::vector<RegId> results;
  Parts old;
  for (const Leaf& piece : pieces) {
    results.push_back(registers_.take());
    old.push_back({piece.offset, piece.bytes, builder_.reg(results.back()), false});
  }
  // Reads the parts and returns whether they are the expected ones.
  const auto read = [&](MemoryOrder order, const AccessTags& by) {
    ExprId equal = number(1);
    const Parts found = load_pieces(address, pieces, order, by);
    for (size_t i = 0; i < pieces.size(); ++i) {
      require_set(found[i].value, here_);
      thread_.assign({results[i]}, found[i].value, here_);
      equal = op(ExprOp::kAnd, equal, op(ExprOp::kEq, old[i].value, expected[i].value));
    }
    return equal;
  };
  const auto leave = [&](bool success_of) {
    thread_.assign({succeeded}, number(success_of ? 1 : 0), here_);
    if (one_access) thread_.atomic_end(here_);
  };
  const Label succeeds = thread_.label(), fails = thread_.label(), done = thread_.label();
  const FencesAround of_success = around_rmw(success, mapping), of_failure = around_failure(failure, mapping);
  emit_fence(of_success.before | of_failure.before, here_);
  if (one_access) thread_.access_begin(here_);
  if (alone && !weak)
    thread_.branch(read(success, tags), succeeds, fails, here_);
  else
    thread_.choose({succeeds, fails}, here_);
  thread_.bind(succeeds);
  if (!alone || weak) thread_.guess(read(success, tags), here_);
  store_pieces(address, desired, success, tags.write_tags);
  leave(true);
  emit_fence(of_success.after, here_);
  thread_.jump(done);
  thread_.bind(fails);
  if (!alone || weak) {
    const ExprId equal = read(by_name ? failure : merged, failure_tags);
    if (!weak) thread_.guess(builder_.unary(ExprOp::kNot, equal), here_);
    if (weak && is_counted(instruction)) count_spurious_failure(equal);
  }
  leave(false);
  emit_fence(of_failure.after, here_);
  thread_.bind(done);
  if (const llvm::Type& type = *instruction.getCompareOperand()->getType(); is_scalar(type))
    values_[&instruction] = gathered(old, 0, (bit_width(type) + 7) / 8);
  parts_[&instruction] = std::move(old);
}

}  // namespace fenceline::frontend::c
