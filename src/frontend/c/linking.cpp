// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/linking.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>

#include "env/errors.h"

namespace fenceline::frontend::c {
namespace {

std::unique_ptr<llvm::Module> parse(const std::string& bitcode, llvm::LLVMContext& context) {
  const auto buffer = llvm::MemoryBuffer::getMemBuffer(bitcode, "", false);
  auto parsed = llvm::parseBitcodeFile(*buffer, context);
  if (!parsed)
    throw Unsupported("the compiler's output cannot be read: " + llvm::toString(parsed.takeError()));
  return std::move(*parsed);
}

std::string written(const llvm::Module& module) {
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  stream.flush();
  return bitcode;
}

// One access of the machine: a number of 1, 2, 4 or 8 bytes, or a pointer.
bool can_be_atomic(const llvm::Type& type, llvm::Align alignment) {
  if (type.isPointerTy()) return alignment.value() >= 8;
  if (!type.isIntegerTy()) return false;
  const unsigned bits = type.getIntegerBitWidth();
  return (bits == 8 || bits == 16 || bits == 32 || bits == 64) && alignment.value() >= bits / 8;
}

}  // namespace

std::string with_atomic_volatile(const std::string& bitcode) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = parse(bitcode, context);
  for (llvm::Function& function : *module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (load->isVolatile() && !load->isAtomic() && can_be_atomic(*load->getType(), load->getAlign()))
          load->setAtomic(llvm::AtomicOrdering::Monotonic);
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (store->isVolatile() && !store->isAtomic() &&
            can_be_atomic(*store->getValueOperand()->getType(), store->getAlign()))
          store->setAtomic(llvm::AtomicOrdering::Monotonic);
      }
    }
  return written(*module);
}

}  // namespace fenceline::frontend::c
