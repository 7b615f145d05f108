// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/asm_parser.h"

#include <fmt/format.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCExpr.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrDesc.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCSymbol.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/TargetParser/Triple.h>

#include <mutex>
#include <set>

#include "env/errors.h"

// What each of LLVM's targets exports; llvm/Support/TargetSelect.h would initialise all of them.
#define FENCELINE_DECLARE_TARGET(name)                \
  extern "C" void LLVMInitialize##name##TargetInfo(); \
  extern "C" void LLVMInitialize##name##TargetMC();   \
  extern "C" void LLVMInitialize##name##AsmParser();
FENCELINE_DECLARE_TARGET(X86)
FENCELINE_DECLARE_TARGET(AArch64)
FENCELINE_DECLARE_TARGET(RISCV)
FENCELINE_DECLARE_TARGET(PowerPC)
FENCELINE_DECLARE_TARGET(Sparc)
#undef FENCELINE_DECLARE_TARGET

namespace fenceline::frontend::c {
namespace {

// X86's flag of an instruction that has the prefix on the same line (X86::IP_HAS_LOCK, in a header that LLVM
// does not install). The unit tests of locked instructions fail if it changes.
constexpr unsigned kHasLock = 1U << 4;

struct TargetNames {
  const char* triple;
  const char* features;  // instructions that code asks for at run time, or with a compiler's option
};

TargetNames names_of(AsmTarget target) {
  switch (target) {
    case AsmTarget::kX86:
      return {"x86_64-unknown-linux-gnu", "+cx16,+cx8,+sse2,+bmi,+lzcnt,+popcnt,+prfchw"};
    case AsmTarget::kAArch64:
      return {"aarch64-unknown-linux-gnu", "+v8.4a,+lse,+rcpc"};
    case AsmTarget::kRiscV:
      return {"riscv64-unknown-linux-gnu", "+m,+a,+zihintpause"};
    case AsmTarget::kPower:
      return {"powerpc64le-unknown-linux-gnu", ""};
    case AsmTarget::kSparc:
      return {"sparcv9-unknown-linux-gnu", "+v9"};
  }
  throw Bug("a processor without a name");
}

void initialise(AsmTarget target) {
  switch (target) {
    case AsmTarget::kX86:
      LLVMInitializeX86TargetInfo();
      LLVMInitializeX86TargetMC();
      return LLVMInitializeX86AsmParser();
    case AsmTarget::kAArch64:
      LLVMInitializeAArch64TargetInfo();
      LLVMInitializeAArch64TargetMC();
      return LLVMInitializeAArch64AsmParser();
    case AsmTarget::kRiscV:
      LLVMInitializeRISCVTargetInfo();
      LLVMInitializeRISCVTargetMC();
      return LLVMInitializeRISCVAsmParser();
    case AsmTarget::kPower:
      LLVMInitializePowerPCTargetInfo();
      LLVMInitializePowerPCTargetMC();
      return LLVMInitializePowerPCAsmParser();
    case AsmTarget::kSparc:
      LLVMInitializeSparcTargetInfo();
      LLVMInitializeSparcTargetMC();
      return LLVMInitializeSparcAsmParser();
  }
}

// What LLVM knows of a processor: the same for all texts.
struct Processor {
  explicit Processor(AsmTarget which) : triple(names_of(which).triple) {
    initialise(which);
    std::string error;
    target = llvm::TargetRegistry::lookupTarget(triple.str(), error);
    require(target != nullptr, "a target of LLVM that is not linked");
    registers.reset(target->createMCRegInfo(triple.str()));
    info.reset(target->createMCAsmInfo(*registers, triple.str(), options));
    instructions.reset(target->createMCInstrInfo());
    subtarget.reset(target->createMCSubtargetInfo(triple.str(), "", names_of(which).features));
  }

  static const Processor& of(AsmTarget which) {
    static std::mutex mutex;
    static std::map<AsmTarget, std::unique_ptr<Processor>> known;
    const std::scoped_lock lock(mutex);
    auto& one = known[which];
    if (one == nullptr) one = std::make_unique<Processor>(which);
    return *one;
  }

  llvm::Triple triple;
  llvm::MCTargetOptions options;
  const llvm::Target* target = nullptr;
  std::unique_ptr<const llvm::MCRegisterInfo> registers;
  std::unique_ptr<const llvm::MCAsmInfo> info;
  std::unique_ptr<const llvm::MCInstrInfo> instructions;
  std::unique_ptr<const llvm::MCSubtargetInfo> subtarget;
};

// The statement at this position of the text.
std::string statement_at(const char* position) {
  std::string_view rest(position);
  rest = rest.substr(0, rest.find_first_of(";\n"));
  while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\t')) rest.remove_suffix(1);
  return std::string(rest);
}

// Gets what the parser has read, one after the other.
class Collector : public llvm::MCStreamer {
 public:
  Collector(llvm::MCContext& context, const Processor& processor)
      : MCStreamer(context), processor_(processor) {}

  AsmCode code;
  std::string unsupported;  // the first thing that is no instruction

  void emitInstruction(const llvm::MCInst& inst, const llvm::MCSubtargetInfo&) override {
    AsmInstruction result;
    result.name = processor_.instructions->getName(inst.getOpcode()).str();
    result.text = inst.getLoc().isValid() ? statement_at(inst.getLoc().getPointer()) : result.name;
    result.locked = processor_.triple.isX86() && (inst.getFlags() & kHasLock) != 0;
    const llvm::MCInstrDesc& description = processor_.instructions->get(inst.getOpcode());
    for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
      const bool described = i < description.getNumOperands();
      AsmOperand operand = operand_of(inst.getOperand(i));
      operand.tied = described && description.getOperandConstraint(i, llvm::MCOI::TIED_TO) != -1;
      operand.address = described && description.operands()[i].OperandType == llvm::MCOI::OPERAND_MEMORY;
      result.operands.push_back(std::move(operand));
    }
    code.instructions.push_back(std::move(result));
  }
  void emitLabel(llvm::MCSymbol* symbol, llvm::SMLoc location) override {
    MCStreamer::emitLabel(symbol, location);
    code.labels[symbol->getName().str()] = code.instructions.size();
  }
  void emitBytes(llvm::StringRef) override { reject("a directive that puts bytes between the instructions"); }
  void emitValueImpl(const llvm::MCExpr*, unsigned, llvm::SMLoc) override {
    reject("a directive that puts a value between the instructions");
  }
  bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override {
    reject("a directive about a symbol");
    return true;
  }
  void emitCommonSymbol(llvm::MCSymbol*, uint64_t, llvm::Align) override { reject("a directive '.comm'"); }
  void emitZerofill(llvm::MCSection*, llvm::MCSymbol*, uint64_t, llvm::Align, llvm::SMLoc) override {
    reject("a directive '.zerofill'");
  }
  void changeSection(llvm::MCSection* section, uint32_t subsection) override {
    MCStreamer::changeSection(section, subsection);
    if (started_) reject("another section");
  }
  void start() { started_ = true; }

 private:
  void reject(const char* what) {
    if (unsupported.empty()) unsupported = what;
  }

  AsmOperand operand_of(const llvm::MCOperand& operand) {
    AsmOperand result;
    if (operand.isReg()) {
      result.kind = AsmOperand::Kind::kRegister;
      if (operand.getReg() != 0) result.name = processor_.registers->getName(operand.getReg());
      return result;
    }
    result.kind = AsmOperand::Kind::kImmediate;
    if (operand.isImm()) {
      result.value = operand.getImm();
      return result;
    }
    if (operand.isExpr()) {
      if (operand.getExpr()->evaluateAsAbsolute(result.value)) return result;
      if (const auto* symbol = llvm::dyn_cast<llvm::MCSymbolRefExpr>(operand.getExpr())) {
        result.kind = AsmOperand::Kind::kLabel;
        result.name = symbol->getSymbol().getName().str();
        return result;
      }
    }
    reject("an operand that is neither a register, a number nor a label");
    return result;
  }

  const Processor& processor_;
  bool started_ = false;
};

}  // namespace

std::optional<AsmTarget> asm_target_of(std::string_view triple) {
  const llvm::Triple which{llvm::StringRef(triple)};
  if (which.getArch() == llvm::Triple::x86_64) return AsmTarget::kX86;
  if (which.getArch() == llvm::Triple::aarch64) return AsmTarget::kAArch64;
  if (which.isRISCV64()) return AsmTarget::kRiscV;
  if (which.isPPC64()) return AsmTarget::kPower;
  if (which.getArch() == llvm::Triple::sparcv9) return AsmTarget::kSparc;
  return std::nullopt;
}

AsmCode parse_assembly(AsmTarget target, const std::string& text, bool intel_syntax) {
  const Processor& processor = Processor::of(target);
  std::string complaint;
  llvm::SourceMgr sources;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic& diagnostic, void* first) {
        auto& message = *static_cast<std::string*>(first);
        if (message.empty() && diagnostic.getKind() == llvm::SourceMgr::DK_Error)
          message = diagnostic.getMessage().str();
      },
      &complaint);
  // The end of the last line is an end of a statement.
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text + "\n"), {});
  llvm::MCContext context(processor.triple, processor.info.get(), processor.registers.get(),
                          processor.subtarget.get(), &sources, &processor.options);
  const std::unique_ptr<llvm::MCObjectFileInfo> files(
      processor.target->createMCObjectFileInfo(context, false));
  context.setObjectFileInfo(files.get());
  Collector collector(context, processor);
  processor.target->createNullTargetStreamer(collector);
  collector.initSections(false, *processor.subtarget);
  collector.start();
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, collector, *processor.info));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(processor.target->createMCAsmParser(
      *processor.subtarget, *parser, *processor.instructions, processor.options));
  parser->setTargetParser(*target_parser);
  if (intel_syntax) parser->setAssemblerDialect(1);
  const bool failed = parser->Run(true, true);
  if (failed || !complaint.empty())
    throw AsmInvalid(fmt::format("\"{}\": {}", text, complaint.empty() ? "not understood" : complaint));
  if (!collector.unsupported.empty())
    throw AsmUnsupported(fmt::format("\"{}\": {}", text, collector.unsupported));
  return std::move(collector.code);
}

}  // namespace fenceline::frontend::c
