// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/deferral_queue/local_state.h"

namespace fenceline::machine::queue {
namespace {

void append(std::string& bytes, const Operand& operand) {
  append_number(bytes, operand.pending ? 1 : 0);
  append_number(bytes, operand.pending ? static_cast<Value>(operand.entry) : operand.value);
}

Operand operand_at(const char*& at) {
  Operand operand;
  operand.pending = read_number(at) != 0;
  if (operand.pending)
    operand.entry = static_cast<uint32_t>(read_number(at));
  else
    operand.value = read_number(at);
  return operand;
}

}  // namespace

void append_number(std::string& bytes, Value value) {
  uint64_t bits = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  for (; bits >= 0x80; bits >>= 7) bytes.push_back(static_cast<char>(0x80 | (bits & 0x7f)));
  bytes.push_back(static_cast<char>(bits));
}

std::string packed(const LocalState& state) {
  std::string bytes;
  append_number(bytes, state.location);
  append_number(bytes, static_cast<Value>(state.registers.size()));
  for (const Operand& operand : state.registers) append(bytes, operand);
  append_number(bytes, static_cast<Value>(state.entries.size()));
  for (const Entry& entry : state.entries) {
    append_number(bytes, static_cast<Value>(entry.kind));
    append_number(bytes, entry.point);
    append_number(bytes, entry.cell);
    append_number(bytes, (entry.expected ? 1 : 0) | (entry.many ? 2 : 0) | (entry.known ? 4 : 0) |
                             static_cast<Value>(entry.earlier) << 3 | static_cast<Value>(entry.later) << 5);
    append_number(bytes, entry.a);
    append_number(bytes, entry.b);
    append_number(bytes, static_cast<Value>(entry.inputs.size()));
    for (const Captured& input : entry.inputs) {
      append_number(bytes, input.reg);
      append(bytes, input.operand);
    }
  }
  return bytes;
}

LocalState unpacked(std::string_view bytes) {
  const char* at = bytes.data();
  const auto number = [&] { return static_cast<uint32_t>(read_number(at)); };
  LocalState state;
  state.location = number();
  state.registers.resize(number());
  for (Operand& operand : state.registers) operand = operand_at(at);
  state.entries.resize(number());
  for (Entry& entry : state.entries) {
    entry.kind = static_cast<EntryKind>(number());
    entry.point = number();
    entry.cell = number();
    const uint32_t flags = number();
    entry.expected = (flags & 1) != 0;
    entry.many = (flags & 2) != 0;
    entry.known = (flags & 4) != 0;
    entry.earlier = static_cast<AccessKind>(flags >> 3 & 3);
    entry.later = static_cast<AccessKind>(flags >> 5 & 3);
    entry.a = read_number(at);
    entry.b = read_number(at);
    entry.inputs.resize(number());
    for (Captured& input : entry.inputs) {
      input.reg = number();
      input.operand = operand_at(at);
    }
  }
  return state;
}

}  // namespace fenceline::machine::queue
