// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/frontend/fl_testing.h"

#include <fmt/format.h>

namespace fenceline::testing {
namespace {

constexpr const char* kDeclarations = "shared int x, y, z, a[3], m[2][3];";

std::string around(const std::string& body) {
  return fmt::format("{}\nthread T {{ {} }}\nproperty p: never (x == 77);\n", kDeclarations, body);
}

std::string dest_name(const Thread& thread, const Dest& dest) {
  if (!dest.valid()) return "-";
  std::string name = thread.registers[dest.reg.index()].name;
  if (thread.registers[dest.reg.index()].temporary) name = "%";
  return dest.is_element() ? name + "..." : name;
}

std::string describe(const Program& program, const Thread& thread, const Instruction& i) {
  const auto dest = [&] { return dest_name(thread, i.dest); };
  const auto object = [&] { return program.object(i.address.object).name; };
  switch (i.kind) {
    case InstrKind::kLoad:
      return fmt::format("load {} {}", dest(), object());
    case InstrKind::kStore:
      return fmt::format("store {}", object());
    case InstrKind::kRmw: {
      const char* op = i.rmw == RmwOp::kCas ? "cas" : i.rmw == RmwOp::kXchg ? "xchg" : "fetch_add";
      return fmt::format("{} {} {}", op, dest(), object());
    }
    case InstrKind::kFence:
      return to_string(i.fence);
    case InstrKind::kAssign:
      return fmt::format("assign {}", dest());
    case InstrKind::kBranch:
      return "branch";
    case InstrKind::kChoose:
      return fmt::format("choose {}", i.next.size());
    case InstrKind::kAssume:
      return "assume";
    case InstrKind::kAssert:
      return "assert";
    case InstrKind::kHavoc:
      return fmt::format("havoc {} {}..{}", dest(), i.havoc_range.lo, i.havoc_range.hi);
    case InstrKind::kAtomicBegin:
      return "begin";
    case InstrKind::kAtomicEnd:
      return "end";
    case InstrKind::kMark:
      return fmt::format("mark {}", i.label);
    case InstrKind::kHalt:
      return "halt";
  }
  return "?";
}

}  // namespace

Program parse(const std::string& text) {
  try {
    return frontend::parse_fl({"test.fl", text});
  } catch (const InputError& error) {
    ADD_FAILURE() << error.what();
    Program empty;
    empty.threads.resize(2);
    return empty;
  }
}

Program parse_body(const std::string& body) { return parse(around(body)); }

std::string steps(const Program& program, size_t thread) {
  const Thread& t = program.threads.at(thread);
  std::string text;
  for (const Instruction& i : t.code) text += (text.empty() ? "" : "; ") + describe(program, t, i);
  return text;
}

std::string body_steps(const std::string& body) {
  std::string text = steps(parse_body(body));
  const std::string halt = "; halt";
  if (text.ends_with(halt)) text.resize(text.size() - halt.size());
  return text;
}

std::vector<Diagnostic> complaints(const std::string& text) {
  try {
    frontend::parse_fl({"test.fl", text});
  } catch (const InputError& error) {
    return error.diagnostics();
  }
  ADD_FAILURE() << "not rejected: " << text.substr(0, 300);
  return {};
}

void expect_complaint(const std::string& text, uint32_t line, uint32_t column, const std::string& message,
                      const std::string& hint) {
  const std::vector<Diagnostic> found = complaints(text);
  if (found.empty()) return;
  const std::string where = render_diagnostic({"test.fl", text}, found[0]);
  EXPECT_EQ(found[0].pos.line, line) << where;
  EXPECT_EQ(found[0].pos.column, column) << where;
  EXPECT_NE(found[0].message.find(message), std::string::npos) << where;
  EXPECT_NE(found[0].hint.find(hint), std::string::npos) << where;
}

void expect_complaint_in_body(const std::string& body, uint32_t column, const std::string& message,
                              const std::string& hint) {
  const uint32_t before = static_cast<uint32_t>(std::string_view("thread T { ").size());
  expect_complaint(around(body), 2, before + column, message, hint);
}

const Instruction& instruction(const Program& program, size_t point, size_t thread) {
  return program.threads.at(thread).code.at(point);
}

}  // namespace fenceline::testing
