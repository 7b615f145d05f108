// SPDX-License-Identifier: GPL-3.0-or-later
//
// From a text to a test: the header determines the reader of the program; then all sections in their order.
// Threads are emitted when all of them are read, since only then is it known which accesses go where
// (addresses.cpp).
#include "frontend/litmus/litmus.h"

#include <memory>
#include <utility>

#include "frontend/litmus/assembly.h"
#include "frontend/litmus/c.h"
#include "frontend/litmus/code.h"
#include "frontend/litmus/sections.h"

namespace fenceline::frontend {

std::string_view to_string(LitmusArch arch) {
  switch (arch) {
    case LitmusArch::kX86:
      return "X86";
    case LitmusArch::kC:
      return "C";
    case LitmusArch::kAArch64:
      return "AArch64";
    case LitmusArch::kRiscV:
      return "RISCV";
    case LitmusArch::kPpc:
      return "PPC";
  }
  throw Bug("an architecture without a name");
}

std::string_view default_model(LitmusArch arch) {
  switch (arch) {
    case LitmusArch::kX86:
      return "x86tso";
    case LitmusArch::kC:
      return "rc11";
    case LitmusArch::kAArch64:
      return "armv8";
    case LitmusArch::kRiscV:
      return "riscv";
    case LitmusArch::kPpc:
      return "power";
  }
  throw Bug("an architecture without a model");
}

namespace {

std::unique_ptr<litmus::Architecture> make_architecture(const litmus::Header& header) {
  switch (header.arch) {
    case LitmusArch::kX86:
      return litmus::make_x86(header.source_first);
    case LitmusArch::kAArch64:
      return litmus::make_aarch64();
    case LitmusArch::kRiscV:
      return litmus::make_riscv();
    case LitmusArch::kPpc:
      return litmus::make_ppc();
    case LitmusArch::kC:
      break;
  }
  throw Bug("C has no assembly");
}

litmus::ValueRules value_rules(const litmus::Header& header) {
  switch (header.arch) {
    case LitmusArch::kX86:  // there are no registers of 64 bits in X86
      if (!header.source_first) return {.signed_memory = true, .address_bytes = 4};
      return {.signed_memory = false, .address_bytes = 8};
    case LitmusArch::kAArch64:
      return {.signed_memory = false, .address_bytes = 8};
    case LitmusArch::kRiscV:
      return {.signed_memory = true, .address_bytes = 8};
    case LitmusArch::kPpc:  // of 32 or 64 bits
      return {.signed_memory = false, .address_bytes = 0};
    case LitmusArch::kC:  // tests keep addresses in variables of any type
      return {.signed_memory = true, .address_bytes = 0};
  }
  throw Bug("an architecture without values");
}

}  // namespace

LitmusTest parse_litmus(SourceFile source) {
  const SourceFile file = std::move(source);  // tokens look into it
  const litmus::Header header = litmus::read_header(file);
  LitmusTest result;
  result.name = header.name;
  result.arch = header.arch;
  result.hash = header.hash;
  litmus::Lexer lexer(file, header.offset, header.pos);
  litmus::TestCode test(file, value_rules(header));
  const litmus::CVariables variables;
  std::unique_ptr<litmus::Architecture> architecture;
  if (header.arch != LitmusArch::kC) architecture = make_architecture(header);
  const litmus::Registers& registers =
      architecture ? static_cast<const litmus::Registers&>(*architecture) : variables;

  litmus::read_initial_state(lexer, registers, test);
  if (architecture)
    litmus::read_assembly(lexer, *architecture, test);
  else
    litmus::read_c(lexer, test);
  test.finish_registers();
  test.emit();
  litmus::read_final_condition(lexer, registers, test, result);
  for (size_t i = 0; i < test.locations().size(); ++i)
    result.addresses.emplace_back(litmus::address_of(litmus::LocationId(i)), test.locations()[i].name);
  result.program = test.program().finish();
  return result;
}

LitmusArch litmus_architecture(const SourceFile& source) { return litmus::read_header(source).arch; }

Program parse_litmus_program(SourceFile source) { return parse_litmus(std::move(source)).program; }

}  // namespace fenceline::frontend
