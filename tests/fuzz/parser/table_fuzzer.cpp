// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whatever the text is, the reader of tables must answer with a table that a machine can execute or with a
// complaint that has a position in the text. Built as fl_parser_fuzzer.cpp is.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "check_complaints.h"
#include "env/errors.h"
#include "model/reorder_table.h"

namespace {

using namespace fenceline;
using fenceline::check;

constexpr AccessKind kKinds[] = {AccessKind::kLoad, AccessKind::kStore, AccessKind::kRmw};

bool is_text(const std::string& text) {
  return std::ranges::none_of(text, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
}

void check(const ReorderTable& table) {
  for (const AccessKind first : kKinds)
    for (const AccessKind second : kKinds) {
      const bool loads = first == AccessKind::kLoad && second == AccessKind::kLoad;
      const bool store_load = first == AccessKind::kStore && second == AccessKind::kLoad;
      check(table.at(first, second, false) != Reorder::kForward);
      check(loads || table.at(first, second, true) != Reorder::kSwap);
      check(store_load || table.at(first, second, true) != Reorder::kForward);
    }
  check(is_text(table.title));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const SourceFile source{"fuzz.table", std::string(reinterpret_cast<const char*>(data), size)};
  try {
    check(parse_table(source));
  } catch (const InputError& error) {
    check(error.diagnostics().size() == 1);
    const Diagnostic& found = error.diagnostics()[0];
    check(found.pos.known() && !found.message.empty());
    check(is_text(found.message) && is_text(found.hint));
    const auto lines = std::ranges::count(source.text, '\n') + 1;
    check(found.pos.line <= static_cast<uint32_t>(lines));
    check(found.pos.column >= 1 && found.pos.column <= source.line(found.pos.line).size() + 2);
  }
  return 0;
}
