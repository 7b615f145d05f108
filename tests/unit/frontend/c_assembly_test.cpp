// SPDX-License-Identifier: GPL-3.0-or-later
//
// Inline assembly as LLVM code: what instructions of each processor become, and what is rejected.
#include "frontend/c/assembly.h"

#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>

#include <string>
#include <vector>

namespace fenceline::frontend::c {
namespace {

constexpr const char *kX86 = "x86_64-unknown-linux-gnu", *kAArch64 = "aarch64-unknown-linux-gnu",
                     *kRiscV = "riscv64-unknown-linux-gnu", *kPower = "powerpc64le-unknown-linux-gnu";

// A function whose parameters are the operands of the assembly, and which returns its result. p: a pointer,
// m: a pointer that is a memory operand; b, h, w, x: integers of 8 to 64 bits; v: nothing.
class Piece {
 public:
  Piece(const char* triple, const std::string& result, const std::string& parameters, const std::string& text,
        const std::string& constraints)
      : module_("test", context_) {
    module_.setTargetTriple(triple);
    std::vector<llvm::Type*> types;
    for (const char letter : parameters) types.push_back(type(letter));
    llvm::Type* returned = type(result.front());
    if (result.size() > 1) {
      std::vector<llvm::Type*> parts;
      for (const char letter : result) parts.push_back(type(letter));
      returned = llvm::StructType::get(context_, parts);
    }
    auto* signature = llvm::FunctionType::get(returned, types, false);
    function_ = llvm::Function::Create(signature, llvm::GlobalValue::ExternalLinkage, "test", module_);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context_, "", function_));
    std::vector<llvm::Value*> arguments;
    for (llvm::Argument& argument : function_->args()) arguments.push_back(&argument);
    auto* code = llvm::InlineAsm::get(signature, text, constraints, true);
    llvm::CallInst* call = builder.CreateCall(signature, code, arguments);
    for (unsigned i = 0; i < parameters.size(); ++i)
      if (parameters[i] == 'm')
        call->addParamAttr(
            i, llvm::Attribute::get(context_, llvm::Attribute::ElementType, builder.getInt64Ty()));
    if (result == "v" || result.size() > 1)
      builder.CreateUnreachable();
    else
      builder.CreateRet(call);
    translate_assembly(module_);
  }

  // What is not a computation or control: accesses and fences, one a line, without names and metadata.
  std::string accesses() const {
    std::string result;
    for (const llvm::Instruction& instruction : code()) {
      if (!instruction.mayReadOrWriteMemory()) continue;
      std::string line;
      llvm::raw_string_ostream(line) << instruction;
      line = line.substr(0, line.find(", !"));
      if (const size_t equals = line.find(" = "); equals != std::string::npos) line = line.substr(equals + 3);
      result += line.substr(line.find_first_not_of(' ')) + "\n";
    }
    return result;
  }
  // Branches: a loop has two ways.
  unsigned branches() const {
    unsigned count = 0;
    for (const llvm::Instruction& instruction : code())
      if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction))
        count += branch->isConditional();
    return count;
  }
  std::string rejected() const {
    for (const llvm::Instruction& instruction : llvm::instructions(*function_))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
          call != nullptr && call->isInlineAsm())
        return reason_of(*call);
    return "";
  }

 private:
  llvm::Type* type(char letter) {
    switch (letter) {
      case 'p':
      case 'm':
        return llvm::PointerType::get(context_, 0);
      case 'b':
        return llvm::Type::getInt8Ty(context_);
      case 'h':
        return llvm::Type::getInt16Ty(context_);
      case 'w':
        return llvm::Type::getInt32Ty(context_);
      case 'x':
        return llvm::Type::getInt64Ty(context_);
      default:
        return llvm::Type::getVoidTy(context_);
    }
  }
  llvm::iterator_range<llvm::const_inst_iterator> code() const {
    for (const llvm::Function& function : module_)
      if (function.getName().starts_with("fl.assembly")) return llvm::instructions(function);
    ADD_FAILURE() << "not understood: " << rejected();
    return llvm::instructions(*const_cast<const llvm::Function*>(function_));
  }

  llvm::LLVMContext context_;
  llvm::Module module_;
  llvm::Function* function_;
};

struct Row {
  const char *result, *parameters, *text, *constraints, *accesses;
};

void expect(const char* triple, const std::vector<Row>& rows) {
  for (const Row& row : rows)
    EXPECT_EQ(Piece(triple, row.result, row.parameters, row.text, row.constraints).accesses(), row.accesses)
        << row.text;
}

TEST(CAssemblyCode, X86) {
  expect(kX86,
         {
             {"v", "", "", "~{memory}", ""},
             {"x", "x", "", "=r,0", ""},
             {"w", "m", "movl $1, $0", "=r,*m", "load atomic i32, ptr %0 acquire, align 4\n"},
             {"v", "mh", "movw $1, $0", "=*m,q", "store atomic i16 %1, ptr %0 release, align 2\n"},
             {"v", "p", "movl $$7, 4($0)", "r", "store atomic i32 7, ptr %1 release, align 4\n"},
             {"b", "mb", "xchgb $0, $1", "=q,*m,0", "atomicrmw xchg ptr %0, i8 %1 seq_cst, align 1\n"},
             {"x", "mx", "lock; xaddq $0, $1", "=r,*m,0", "atomicrmw add ptr %0, i64 %1 seq_cst, align 8\n"},
             {"v", "mw", "lock subl $1, $0", "=*m,r", "atomicrmw sub ptr %0, i32 %1 seq_cst, align 4\n"},
             {"v", "m", "lock orl $$8, $0", "=*m", "atomicrmw or ptr %0, i32 8 seq_cst, align 4\n"},
             {"v", "m", "lock andq $$-2, $0", "=*m", "atomicrmw and ptr %0, i64 -2 seq_cst, align 8\n"},
             {"v", "m", "lock incl $0", "=*m", "atomicrmw add ptr %0, i32 1 seq_cst, align 4\n"},
             {"v", "m", "lock decb $0", "=*m", "atomicrmw sub ptr %0, i8 1 seq_cst, align 1\n"},
             {"v", "m", "lock notw $0", "=*m", "atomicrmw xor ptr %0, i16 -1 seq_cst, align 2\n"},
             {"v", "m", "lock btsl $$3, $0", "=*m", "atomicrmw or ptr %0, i32 8 seq_cst, align 4\n"},
             {"v", "m", "lock btrl $$3, $0", "=*m", "atomicrmw and ptr %0, i32 -9 seq_cst, align 4\n"},
             {"b", "mww", "lock cmpxchgl $2, $1; setz $0", "=q,=*m,r,{ax},~{rax}",
              "cmpxchg ptr %0, i32 %2, i32 %1 seq_cst seq_cst, align 4\n"},
             {"b", "mww", "lock cmpxchgl $2, $1", "={@ccz},=*m,r,{ax},~{rax}",
              "cmpxchg ptr %0, i32 %2, i32 %1 seq_cst seq_cst, align 4\n"},
             // Without the prefix they are accesses of their own.
             {"v", "m", "addl $$1, $0", "=*m",
              "load atomic i32, ptr %0 acquire, align 4\nstore atomic i32 %2, ptr %0 release, align 4\n"},
             {"v", "", "mfence", "~{memory}", "call void @fl.fence.15()\n"},
             {"v", "", "lfence; sfence", "~{memory}", "call void @fl.fence.12()\ncall void @fl.fence.2()\n"},
             {"v", "", "lock; addl $$0,-128(%rsp)", "~{memory}", "call void @fl.fence.15()\n"},
             {"v", "m", "prefetcht0 $0", "*m", ""},
             {"v", "", "ud2", "", "call void @llvm.trap()\n"},
         });
}

// Two words are compared and exchanged as one.
TEST(CAssemblyCode, X86DoubleWidth) {
  const Piece half(kX86, "ww", "mwwww", "lock cmpxchg8b $2", "={ax},={dx},=*m,{ax},{dx},{bx},{cx}");
  EXPECT_NE(half.accesses().find("cmpxchg ptr %0, i64 "), std::string::npos) << half.accesses();
  const Piece whole(kX86, "xx", "mxxxx", "lock cmpxchg16b $2", "={ax},={dx},=*m,{ax},{dx},{bx},{cx}");
  EXPECT_NE(whole.accesses().find("cmpxchg ptr %0, i128 "), std::string::npos) << whole.accesses();
  const Piece load(kX86, "xx", "m", "movq %rdx, %rcx; movq %rax, %rbx; lock cmpxchg16b $2",
                   "={ax},={dx},*m,~{rbx},~{rcx}");
  EXPECT_NE(load.accesses().find("atomicrmw or ptr %0, i128 0 seq_cst"), std::string::npos)
      << load.accesses();
}

// The loop of a spin lock stays a loop.
TEST(CAssemblyCode, X86Loops) {
  const Piece lock(kX86, "w", "mw",
                   "1:\nxchg $1, $0\ntest $0, $0\njz 3f\n2:\npause\ncmpl $$0, $1\njnz 2b\njmp 1b\n3:\n",
                   "=q,=*m,0,~{memory}");
  EXPECT_EQ(lock.branches(), 2U);
  EXPECT_EQ(lock.accesses(),
            "atomicrmw xchg ptr %0, i32 %3 seq_cst, align 4\nload atomic i32, ptr %0 acquire, align 4\n");
  // No atomic operation negates.
  EXPECT_EQ(Piece(kX86, "v", "m", "lock negl $0", "=*m").accesses(),
            "load atomic i32, ptr %0 monotonic, align 4\n"
            "cmpxchg ptr %0, i32 %1, i32 %2 seq_cst monotonic, align 4\n");
}

TEST(CAssemblyCode, AArch64) {
  expect(kAArch64,
         {
             {"w", "p", "ldr ${0:w}, [$1]", "=r,r", "load atomic i32, ptr %0 monotonic, align 4\n"},
             {"w", "p", "ldrb ${0:w}, [$1, #3]", "=r,r", "load atomic i8, ptr %1 monotonic, align 1\n"},
             {"x", "p", "ldar $0, [$1]", "=r,r", "load atomic i64, ptr %0 acquire, align 8\n"},
             {"w", "p", "ldapr ${0:w}, [$1]", "=r,r", "load atomic i32, ptr %0 acquire, align 4\n"},
             {"v", "pw", "stlr ${1:w}, [$0]", "r,r", "store atomic i32 %1, ptr %0 release, align 4\n"},
             {"v", "pw", "strh ${1:w}, [$0]", "r,r", "store atomic i16 %2, ptr %0 monotonic, align 2\n"},
             {"w", "mw", "ldadd ${2:w}, ${0:w}, $1", "=r,=*Q,r",
              "atomicrmw add ptr %0, i32 %1 monotonic, align 4\n"},
             {"x", "px", "ldaddal $2, $0, [$1]", "=r,r,r", "atomicrmw add ptr %0, i64 %1 seq_cst, align 8\n"},
             {"x", "px", "ldclra $2, $0, [$1]", "=r,r,r", "atomicrmw and ptr %0, i64 %2 acquire, align 8\n"},
             {"v", "px", "stset $1, [$0]", "r,r", "atomicrmw or ptr %0, i64 %1 monotonic, align 8\n"},
             {"w", "pw", "swpl ${2:w}, ${0:w}, [$1]", "=r,r,r",
              "atomicrmw xchg ptr %0, i32 %1 release, align 4\n"},
             {"w", "pww", "casa ${0:w}, ${3:w}, [$1]", "=r,r,0,r",
              "cmpxchg ptr %0, i32 %1, i32 %2 acquire acquire, align 4\n"},
             {"v", "", "dmb ish", "~{memory}", "call void @fl.fence.15()\n"},
             {"v", "", "dmb ishld", "~{memory}", "call void @fl.fence.12()\n"},
             {"v", "", "dsb st", "~{memory}", "call void @fl.fence.2()\n"},
             {"v", "", "isb", "~{memory}", "call void @fl.fence.0.ISB()\n"},
             {"v", "p", "sevl; wfe; prfm pstl1strm, [$0]; yield", "r", ""},
         });
}

// Loops of exclusive accesses.
TEST(CAssemblyCode, AArch64Pairs) {
  const std::vector<Row> rows = {
      {"w", "pw",
       "1: ldxr ${0:w}, [$2]\nadd ${0:w}, ${0:w}, ${3:w}\nstxr ${1:w}, ${0:w}, [$2]\ncbnz ${1:w}, 1b\n",
       "=&r,=&r,r,r", "atomicrmw add ptr %0, i32 %1 monotonic, align 4\n"},
      {"w", "pb", "1: ldaxrb ${0:w}, [$2]\nstlxrb ${1:w}, ${3:w}, [$2]\ncbnz ${1:w}, 1b\n", "=&r,=&r,r,r",
       "atomicrmw xchg ptr %0, i8 %1 acq_rel, align 1\n"},
      {"h", "ph",
       "1: ldaxrh ${0:w}, [$2]\nsub ${0:w}, ${0:w}, ${3:w}\nstxrh ${1:w}, ${0:w}, [$2]\ncbnz ${1:w}, 1b\n",
       "=&r,=&r,r,r", "atomicrmw sub ptr %0, i16 %1 acquire, align 2\n"},
      {"x", "p", "1: ldxr $0, [$2]\nmvn $0, $0\nstlxr ${1:w}, $0, [$2]\ncbnz ${1:w}, 1b\n", "=&r,=&r,r",
       "atomicrmw xor ptr %0, i64 -1 release, align 8\n"},
      {"x", "pxx", "1: ldxr $0, [$2]\ncmp $0, $4\nb.ne 2f\nstxr ${1:w}, $3, [$2]\ncbnz ${1:w}, 1b\n2:",
       "=&r,=&r,r,r,r", "cmpxchg ptr %0, i64 %2, i64 %1 monotonic monotonic, align 8\n"},
      {"w", "pbb",
       "1: ldaxrb ${0:w}, [$2]\ncmp ${0:w}, ${4:w}\nb.ne 2f\nstlxrb ${1:w}, ${3:w}, [$2]\ncbnz ${1:w}, "
       "1b\n2:",
       "=&r,=&r,r,r,r", "cmpxchg ptr %0, i8 %2, i8 %1 acq_rel acquire, align 1\n"},
      {"w", "pww",
       "1: ldxr ${0:w}, [$2]\neor ${1:w}, ${0:w}, ${4:w}\ncbnz ${1:w}, 2f\nstlxr ${1:w}, ${3:w}, [$2]\ncbnz "
       "${1:w}, 1b\n2:",
       "=&r,=&r,r,r,r", "cmpxchg ptr %0, i32 %2, i32 %1 release monotonic, align 4\n"},
      // The store is not tried again.
      {"w", "pww", "ldxr ${0:w}, [$2]\ncmp ${0:w}, ${4:w}\nb.ne 2f\nstxr ${1:w}, ${3:w}, [$2]\n2:",
       "=&r,=&r,r,r,r", "cmpxchg weak ptr %0, i32 %2, i32 %1 monotonic monotonic, align 4\n"},
      // Something else is computed: the loop stays.
      {"w", "p", "1: ldxr ${0:w}, [$2]\nneg ${0:w}, ${0:w}\nstxr ${1:w}, ${0:w}, [$2]\ncbnz ${1:w}, 1b\n",
       "=&r,=&r,r",
       "load atomic i32, ptr %0 monotonic, align 4\ncmpxchg ptr %0, i32 %3, i32 %4 monotonic monotonic, "
       "align 4\n"},
      // A load without a store is a load.
      {"w", "p", "ldaxr ${0:w}, [$1]", "=r,r", "load atomic i32, ptr %0 acquire, align 4\n"},
  };
  for (const Row& row : rows) {
    // The registers for statuses are outputs of the texts that nothing looks at.
    const std::string result = std::string(row.result) + "w";
    const std::string constraints = row.constraints;
    const bool two = constraints.starts_with("=&r,=&r");
    const Piece piece(kAArch64, two ? result : row.result, row.parameters, row.text, constraints);
    std::string accesses = piece.accesses();
    // Results are stored at the end.
    while (true) {
      const size_t at = accesses.find("store i");
      if (at == std::string::npos) break;
      accesses.erase(at, accesses.find('\n', at) + 1 - at);
    }
    EXPECT_EQ(accesses, row.accesses) << row.text;
  }
}

TEST(CAssemblyCode, RiscV) {
  expect(
      kRiscV,
      {
          {"x", "p", "ld $0, 0($1)", "=r,r", "load atomic i64, ptr %0 monotonic, align 8\n"},
          {"v", "mw", "sw $1, $0", "=*m,r", "store atomic i32 %1, ptr %0 monotonic, align 4\n"},
          {"w", "mw", "amoadd.w.aqrl $0, $2, $1", "=r,=*A,r",
           "atomicrmw add ptr %0, i32 %1 seq_cst, align 4\n"},
          {"x", "mx", "amoswap.d.aq $0, $2, $1", "=r,=*A,r",
           "atomicrmw xchg ptr %0, i64 %1 acquire, align 8\n"},
          {"v", "mw", "amoor.w.rl zero, $1, $0", "=*A,r", "atomicrmw or ptr %0, i32 %1 release, align 4\n"},
          {"v", "", "fence rw,rw", "~{memory}", "call void @fl.fence.15()\n"},
          {"v", "", "fence rw,w", "~{memory}", "call void @fl.fence.10()\n"},
          {"v", "", "fence.tso", "~{memory}", "call void @fl.fence.14()\n"},
          {"v", "", "pause", "~{memory}", ""},
          {"w", "mww",
           "0: lr.w t0, $1\nbne t0, ${3:z}, 1f\nsc.w.rl t1, ${2:z}, $1\nbnez t1, 0b\n1: mv $0, t0",
           "=&r,=*A,rJ,rJ,~{t0},~{t1},~{memory}",
           "cmpxchg ptr %0, i32 %2, i32 %1 release monotonic, align 4\n"},
          {"x", "mx", "0: lr.d.aqrl t0, $1\nadd t1, t0, $2\nsc.d.rl t1, t1, $1\nbnez t1, 0b\nmv $0, t0",
           "=&r,=*A,r,~{t0},~{t1}", "atomicrmw add ptr %0, i64 %1 acq_rel, align 8\n"},
      });
}

TEST(CAssemblyCode, Power) {
  expect(
      kPower,
      {
          {"x", "m", "ld${1:U}${1:X} $0, $1", "=r,*m", "load atomic i64, ptr %0 monotonic, align 8\n"},
          {"v", "mw", "stw${0:U}${0:X} $1, $0", "=*m,r", "store atomic i32 %1, ptr %0 monotonic, align 4\n"},
          {"x", "px", "1: ldarx $0, 0, $1; stdcx. $2, 0, $1; bne- 1b", "=&r,r,r,~{cr0},~{memory}",
           "atomicrmw xchg ptr %0, i64 %1 monotonic, align 8\n"},
          {"w", "pww", "1: lwarx $0, 0, $1; cmpw 0, $0, $3; bne- 2f; stwcx. $2, 0, $1; bne- 1b; 2:",
           "=&r,r,r,r", "cmpxchg ptr %0, i32 %2, i32 %1 monotonic monotonic, align 4\n"},
          {"w", "pw", "1: lwarx $0, 0, $1; stwcx. $2, 0, $1; bne- 1b; isync", "=&r,r,r",
           "atomicrmw xchg ptr %0, i32 %1 monotonic, align 4\ncall void @fl.fence.12.ISYNC(i1 %3)\n"},
          {"w", "pw", "1: lwarx $0, 0, $1; stwcx. $2, 0, $1; isync", "=&r,r,r",
           "load atomic i32, ptr %0 monotonic, align 4\n"
           "cmpxchg weak ptr %0, i32 %2, i32 %1 monotonic monotonic, align 4\ncall void "
           "@fl.fence.0.ISYNC()\n"},
          {"w", "pw", "1: lwarx $0, 0, $1, 1; stwcx. $2, 0, $1; bne- 1b", "=&r,r,r",
           "atomicrmw xchg ptr %0, i32 %1 monotonic, align 4\n"},
          {"v", "", "eieio", "~{memory}", "call void @fl.fence.2()\n"},
          {"v", "", "sync", "~{memory}", "call void @fl.fence.15()\n"},
          {"v", "", "lwsync", "~{memory}", "call void @fl.fence.14()\n"},
          {"v", "", "isync", "~{memory}", "call void @fl.fence.0.ISYNC()\n"},
          {"v", "", "or 1, 1, 1", "", ""},
      });
}

TEST(CAssemblyCode, Rejected) {
  struct Wrong {
    const char *triple, *result, *parameters, *text, *constraints, *reason;
  };
  for (const Wrong& wrong : std::vector<Wrong>{
           {kX86, "v", "", "wbinvd", "", "\"wbinvd\""},
           {kX86, "v", "", "nonsense", "", "invalid instruction mnemonic"},
           {kX86, "v", "", "movl $$1, %eax", "",
            "the register 'RAX', which is neither an output nor clobbered"},
           {kX86, "w", "", "movl %ebx, $0", "=r", "the register 'RBX', which nothing has set"},
           {kX86, "x", "w", "movq ${1:q}, $0", "=r,r", "reads 64 bits of a register"},
           {kX86, "b", "", "setz $0", "=r", "a flag that is not set"},
           {kX86, "v", "", "movl $$1, x", "", "a variable by its name"},
           {kX86, "v", "", "movl $$1, 8(%rsp)", "", "an address in the register 'RSP'"},
           {kX86, "v", "m", "lock movl $$1, $0", "=*m", "'lock'"},
           {kX86, "v", "m", "lock bsfl $0, %eax", "=*m,~{eax}", "'lock'"},
           {kX86, "v", "", ".byte 0x0f, 0x0b", "", "bytes between the instructions"},
           {kX86, "v", "", "jmp away", "", "a jump out of the assembly"},
           {kX86, "w", "", "movl %gs:4, $0", "=r", "a segment register"},
           {kX86, "v", "", "call f", "", "\"call f\""},
           {kAArch64, "w", "pw", "stxr ${0:w}, ${2:w}, [$1]", "=&r,r,r", "does not follow its load"},
           {kAArch64, "w", "pw", "ldxr ${0:w}, [$1]; dmb ish; stxr ${0:w}, ${2:w}, [$1]", "=&r,r,r",
            "between an exclusive load and its store"},
           {kAArch64, "w", "ppw", "ldxr ${0:w}, [$1]; stxr ${0:w}, ${3:w}, [$2]", "=&r,r,r,r",
            "to another address"},
           {kAArch64, "x", "", "mrs $0, cntvct_el0", "=r", "\"mrs x0, cntvct_el0\""},
           {kRiscV, "w", "mw", "lr.w.aqrl $0, $1\nsc.w $0, $2, $1", "=&r,=*A,r", "lr.aqrl"},
       }) {
    const std::string reason =
        Piece(wrong.triple, wrong.result, wrong.parameters, wrong.text, wrong.constraints).rejected();
    EXPECT_NE(reason.find(wrong.reason), std::string::npos) << wrong.text << ": " << reason;
  }
}

}  // namespace
}  // namespace fenceline::frontend::c
