// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/program.h"

#include <fmt/format.h>

#include "env/errors.h"

namespace fenceline {

std::string Program::line_name(SourcePos pos) const {
  if (pos.file == 0) return fmt::format("{}", pos.line);
  const std::string& path = file_of(pos).name;
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), pos.line);
}

std::string Program::step_name(ThreadId id, Point point) const {
  for (const StatementEnd& end : thread(id).ends)
    if (end.point == point && !end.name.empty()) return end.name;
  const SourcePos pos = thread(id).at(point).pos;
  return (pos.file == 0 ? "line " : "") + line_name(pos);
}

ObjectId Program::object_of(CellId cell) const {
  for (size_t i = 0; i < objects.size(); ++i)
    if (cell >= objects[i].first_cell && cell.index() < objects[i].first_cell.index() + objects[i].size())
      return ObjectId(i);
  throw Bug("a cell belongs to no object");
}

std::string Program::cell_name(CellId cell) const {
  const Object& owner = object(object_of(cell));
  const auto named = owner.cell_names.find(static_cast<uint32_t>(cell.index() - owner.first_cell.index()));
  if (named != owner.cell_names.end()) return named->second;
  return owner.is_array ? fmt::format("{}[{}]", owner.name, cell.index() - owner.first_cell.index())
                        : owner.name;
}

std::string Program::value_text(Value value) const { return value_text(CellId(), value); }

std::string Program::value_text(CellId cell, Value value) const {
  CellContent content = CellContent::kAnything;
  uint8_t bytes = 0;
  if (cell.valid()) {
    const Object& owner = object(object_of(cell));
    const auto offset = static_cast<uint32_t>(cell.index() - owner.first_cell.index());
    if (const auto known = owner.cell_contents.find(offset); known != owner.cell_contents.end())
      content = known->second;
    if (!owner.cell_bytes.empty()) bytes = owner.cell_bytes[offset];
  }
  const bool number = content == CellContent::kSigned || content == CellContent::kUnsigned;
  if (const auto named = value_names.find(value); named != value_names.end()) {
    const bool means_it = named->second.kind == ValueName::Kind::kMark ||
                          (named->second.kind == ValueName::Kind::kObject && !number) ||
                          content == CellContent::kAddress;
    if (means_it) return named->second.text;
  }
  if (content != CellContent::kUnsigned || bytes == 0 || value >= 0) return std::to_string(value);
  const uint64_t bits = static_cast<uint64_t>(value);
  return std::to_string(bytes >= 8 ? bits : bits & ((uint64_t{1} << (8 * bytes)) - 1));
}

std::vector<Value> Program::initial_memory() const {
  std::vector<Value> memory;
  memory.reserve(cell_count);
  for (const Object& object : objects) memory.insert(memory.end(), object.init.begin(), object.init.end());
  return memory;
}

bool has_operations(const Program& program) {
  for (const Thread& thread : program.threads)
    for (const Instruction& instruction : thread.code)
      if (instruction.operation != 0) return true;
  return false;
}

std::string_view spelling(ExprOp op) {
  switch (class_of(op)) {
    case OperatorClass::kNeg:
    case OperatorClass::kSub:
      return "-";
    case OperatorClass::kNot:
      return "!";
    case OperatorClass::kBitNot:
      return "~";
    case OperatorClass::kAdd:
      return "+";
    case OperatorClass::kMul:
      return "*";
    case OperatorClass::kDivide:
      return op == ExprOp::kDiv ? "/" : "%";
    case OperatorClass::kEqual:
      return op == ExprOp::kEq ? "==" : "!=";
    case OperatorClass::kLess:
      return op == ExprOp::kLt ? "<" : "<=";
    case OperatorClass::kUnsignedLess:
      return op == ExprOp::kUlt ? "<" : "<=";
    case OperatorClass::kGreater:
      return op == ExprOp::kGt ? ">" : ">=";
    case OperatorClass::kLazy:
      return op == ExprOp::kAnd ? "&&" : "||";
    case OperatorClass::kBitwise:
      return op == ExprOp::kBitAnd ? "&" : op == ExprOp::kBitOr ? "|" : "^";
    case OperatorClass::kShift:
      return op == ExprOp::kShl ? "<<" : ">>";
    case OperatorClass::kModular:
      return op == ExprOp::kAdd64 ? "+" : op == ExprOp::kSub64 ? "-" : op == ExprOp::kMul64 ? "*" : "<<";
    case OperatorClass::kLeaf:
    case OperatorClass::kWrap:
    case OperatorClass::kSelect:
      break;
  }
  return "";
}

HistoryAlphabet history_alphabet(const Program& program) {
  HistoryAlphabet alphabet{static_cast<uint32_t>(program.threads.size()), 0};
  for (const Object& object : program.objects)
    if (object.transactional) alphabet.variables += object.size();
  return alphabet;
}

std::optional<uint32_t> transactional_variable(const Program& program, CellId cell) {
  uint32_t before = 0;
  for (const Object& object : program.objects) {
    if (!object.transactional) continue;
    const size_t offset = cell.index() - object.first_cell.index();
    if (cell.index() >= object.first_cell.index() && offset < object.size())
      return before + static_cast<uint32_t>(offset);
    before += object.size();
  }
  return std::nullopt;
}

std::string to_string(FenceKinds kinds) {
  if (kinds == FenceKinds::sync()) return "sync";
  if (kinds == FenceKinds::full()) return "fence";
  if (kinds == FenceKinds::store_store()) return "sfence";
  if (kinds == FenceKinds::load_load()) return "lfence";
  std::string text;
  const auto add = [&](bool present, const char* name) {
    if (!present) return;
    text += text.empty() ? "fence(" : ", ";
    text += name;
  };
  add(kinds.has_store_load(), "store-load");
  add(kinds.has_store_store(), "store-store");
  add(kinds.has_load_load(), "load-load");
  add(kinds.has_load_store(), "load-store");
  return text.empty() ? "fence()" : text + ")";
}

}  // namespace fenceline
