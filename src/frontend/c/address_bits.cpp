// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/address_bits.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include <bit>
#include <optional>

#include "frontend/c/effects.h"
#include "frontend/c/index_guards.h"

namespace fenceline::frontend::c {
namespace {

constexpr uint64_t kLargest = 4096;  // a multiple that addresses are rounded to
constexpr unsigned kDeepest = 16;    // operations between an address and what is made of it

class Remainders {
 public:
  Remainders(const PointsTo& points_to, uint64_t modulus) : points_to_(points_to), modulus_(modulus) {}

  // Of the number when it is divided by the modulus, a power of two.
  std::optional<uint64_t> of(const llvm::Value& number, unsigned depth = 0) const {
    if (depth > kDeepest) return std::nullopt;
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&number))
      return constant->getBitWidth() <= 64 ? std::optional(constant->getZExtValue() % modulus_)
                                           : std::nullopt;
    const auto* operation = llvm::dyn_cast<llvm::Operator>(&number);
    if (operation == nullptr) return of_targets(number);
    const auto operand = [&](unsigned i) { return of(*operation->getOperand(i), depth + 1); };
    switch (operation->getOpcode()) {
      case llvm::Instruction::PtrToInt:
      case llvm::Instruction::IntToPtr:
      case llvm::Instruction::Freeze:
        return operand(0);
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
      case llvm::Instruction::Mul:
      case llvm::Instruction::And:
      case llvm::Instruction::Or:
      case llvm::Instruction::Xor:
        return both(operation->getOpcode(), operand(0), operand(1));
      default:
        return of_targets(number);
    }
  }

 private:
  std::optional<uint64_t> both(unsigned opcode, std::optional<uint64_t> a, std::optional<uint64_t> b) const {
    // A mask makes a number of which nothing else is known.
    if (opcode == llvm::Instruction::And && (a == 0 || b == 0)) return 0;
    if (!a || !b) return std::nullopt;
    const uint64_t result = opcode == llvm::Instruction::Add   ? *a + *b
                            : opcode == llvm::Instruction::Sub ? *a - *b
                            : opcode == llvm::Instruction::Mul ? *a * *b
                            : opcode == llvm::Instruction::And ? *a & *b
                            : opcode == llvm::Instruction::Or  ? *a | *b
                                                               : *a ^ *b;
    return result % modulus_;
  }

  // All addresses that it may be have the same one.
  std::optional<uint64_t> of_targets(const llvm::Value& address) const {
    const Targets targets = points_to_.of(address);
    if (targets.unknown || !targets.functions.empty()) return std::nullopt;
    std::optional<uint64_t> result;
    for (const Target& target : targets.locations) {
      const auto here = static_cast<uint64_t>(target.offset) % modulus_;
      if (points_to_.alignment(target.object) % modulus_ != 0 ||
          static_cast<uint64_t>(target.stride) % modulus_ != 0 || (result && *result != here))
        return std::nullopt;
      result = here;
    }
    return result;
  }

  const PointsTo& points_to_;
  const uint64_t modulus_;
};

std::optional<uint64_t> remainder(const llvm::Instruction& instruction, const PointsTo& points_to) {
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  if (operation == nullptr || !operation->getType()->isIntegerTy(64)) return std::nullopt;
  const auto* by = llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
  if (by == nullptr || by->isZero() || by->getValue().uge(kLargest)) return std::nullopt;
  const uint64_t number = by->getZExtValue();
  const llvm::Value& address = *operation->getOperand(0);
  if (operation->getOpcode() == llvm::Instruction::URem && std::has_single_bit(number))
    return Remainders(points_to, number).of(address);
  if (operation->getOpcode() != llvm::Instruction::And) return std::nullopt;
  const auto rest = Remainders(points_to, std::bit_ceil(number + 1)).of(address);
  return rest ? std::optional(*rest & number) : std::nullopt;
}

}  // namespace

std::vector<std::pair<llvm::Instruction*, uint64_t>> known_remainders(llvm::Function& function,
                                                                      const PointsTo& points_to,
                                                                      bool is_before_threads) {
  std::vector<std::pair<llvm::Instruction*, uint64_t>> found;
  const auto is_guard = [](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    return call != nullptr && is_range_guard(*call);
  };
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::all_of(instruction.users(), is_guard)) continue;
    const auto number = remainder(instruction, points_to);
    if (!number) continue;
    if ((is_before_threads && !follows_start(instruction)) ||
        !depends_on_load(*instruction.getOperand(0), [](const llvm::LoadInst&) { return false; }))
      found.emplace_back(&instruction, *number);
  }
  return found;
}

}  // namespace fenceline::frontend::c
