// SPDX-License-Identifier: GPL-3.0-or-later
//
// Printing is one pass over the program. The only decision is how to refer to things (see printer.h); it is
// made once per program, for each thread, object and register.
#include "ir/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "env/text_cursor.h"
#include "ir/text/names.h"

namespace fenceline {
namespace {

using namespace ir_text;

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (byte < 0x20 || byte >= 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result + '"';
}

bool is_identifier(std::string_view name) {
  return !name.empty() && is_name_start(name[0]) && std::all_of(name.begin(), name.end(), is_name_part) &&
         name != kNoDest;
}

// How to refer to each of `things`: by name where that is possible, else by sigil and number.
template <class Named>
std::vector<std::string> references(const std::vector<Named>& things, char sigil) {
  std::map<std::string_view, int> uses;
  for (const Named& thing : things) ++uses[thing.name];
  std::vector<std::string> result;
  for (size_t i = 0; i < things.size(); ++i) {
    const bool by_name = is_identifier(things[i].name) && uses[things[i].name] == 1;
    result.push_back(by_name ? things[i].name : fmt::format("{}{}", sigil, i));
  }
  return result;
}

class Printer {
 public:
  explicit Printer(const Program& program)
      : program_(program),
        objects_(references(program.objects, '&')),
        threads_(references(program.threads, '#')) {
    for (const Thread& thread : program.threads) registers_.push_back(references(thread.registers, '$'));
  }

  std::string take() { return std::move(text_); }

  void program() {
    put("source {}\n", quoted(program_.source.name));
    for (const SourceFile& file : program_.included) put("include {}\n", quoted(file.name));
    for (size_t i = 0; i < program_.objects.size(); ++i) object(program_.objects[i], objects_[i]);
    for (size_t i = 0; i < program_.threads.size(); ++i) thread(ThreadId(i));
    for (const Property& p : program_.properties) {
      put("property {} {}", quoted(p.name), kProperties[static_cast<size_t>(p.kind)]);
      if (p.formula.valid()) {
        put(" ");
        expr(p.formula, ThreadId());
      }
      position(p.pos);
      put("\n");
    }
  }

  void expr(ExprId id, ThreadId thread) {
    const Expr& e = program_.expr(id);
    switch (shape_of(e.op)) {
      case ExprShape::kConst:
        return put("{}", e.imm);
      case ExprShape::kReg:
        return put("{}", reg(thread, e.reg));
      case ExprShape::kRegAt:
        return element(thread, e.reg, e.count, e.a, thread);
      case ExprShape::kThreadReg:
        return put("{}.{}", threads_[e.thread.index()], reg(e.thread, e.reg));
      case ExprShape::kThreadRegAt:
        put("{}.", threads_[e.thread.index()]);
        return element(e.thread, e.reg, e.count, e.a, thread);
      case ExprShape::kAt:
        return put("{}@{}", threads_[e.thread.index()], e.point.value());
      case ExprShape::kCell:
        return cell({e.object, e.a, 0}, thread);
      case ExprShape::kUnary:
      case ExprShape::kWrap:
      case ExprShape::kBinary:
      case ExprShape::kLazy:
      case ExprShape::kSelect:
        break;
    }
    put("(");
    if (arity(e.op) == 1 && e.op != ExprOp::kWrap) put("{} ", spelling(e.op));
    expr(e.a, thread);
    if (e.op == ExprOp::kSelect) {
      put(" ? ");
      expr(e.b, thread);
      put(" : ");
      expr(e.c, thread);
    } else if (e.op == ExprOp::kWrap) {
      put(" as ");
      type(e.imm);
    } else if (arity(e.op) == 2) {
      put(" {} ", word_for(e.op));
      expr(e.b, thread);
    }
    put(")");
  }

  static std::string_view word_for(ExprOp op) {
    if (op == ExprOp::kUlt) return kUlt;
    if (op == ExprOp::kUle) return kUle;
    if (op == ExprOp::kAdd64) return kAdd64;
    if (op == ExprOp::kSub64) return kSub64;
    if (op == ExprOp::kMul64) return kMul64;
    if (op == ExprOp::kShl64) return kShl64;
    return spelling(op);  // as people write it
  }

  // "s8", "u32".
  void type(Value bits) { put("{}{}", bits < 0 ? kUnsigned : kSigned, bits < 0 ? -bits : bits); }

  void instruction(const Instruction& i, ThreadId thread) {
    using enum InstrKind;
    switch (i.kind) {
      case kLoad:
        put("load ");
        dest(i.dest, thread);
        cell(i.address, thread);
        break;
      case kStore:
        put("store ");
        cell(i.address, thread);
        put(" = ");
        expr(i.a, thread);
        break;
      case kRmw:
        put("{} ", kRmws[static_cast<size_t>(i.rmw)]);
        dest(i.dest, thread);
        cell(i.address, thread);
        put(", ");
        expr(i.a, thread);
        if (is_cas(i.rmw)) {
          put(", ");
          expr(i.b, thread);
        }
        if (i.wrap != 0) {
          put(" as ");
          type(i.wrap);
        }
        break;
      case kFence:
        fence(i.fence);
        break;
      case kAssign:
        put("assign ");
        dest(i.dest, thread);
        expr(i.a, thread);
        break;
      case kBranch:
        put("branch "), expr(i.a, thread);
        break;
      case kChoose:
        put("choose");
        break;
      case kAssume:
        put("{} ", i.blocking ? "wait" : i.branches ? "assume" : "guess"), expr(i.a, thread);
        break;
      case kAssert:
        put("assert "), expr(i.a, thread);
        if (!i.label.empty()) put(" {}", quoted(i.label));
        break;
      case kHavoc:
        put("havoc ");
        dest(i.dest, thread);
        put("{}..{}", i.havoc_range.lo, i.havoc_range.hi);
        break;
      case kAtomicBegin:
        put("{}", i.one_access ? "access_begin" : "atomic_begin");
        break;
      case kAtomicEnd:
        put("atomic_end");
        break;
      case kMark:
        put("mark {}", quoted(i.label));
        break;
      case kHalt:
        put("{}", i.ends_program ? kEndProgram : "halt");
        break;
    }
    if (i.is_memory_access() && i.order != MemoryOrder::kPlain)
      put(" {}", kOrders[static_cast<size_t>(i.order)]);
    if (i.history) put(" {}", kHistory[static_cast<size_t>(*i.history)]);
    if (i.operation != 0) put(" operation {}", i.operation);
    if (i.assertion.line != 0) put(" {}", kDecides), position(i.assertion);
    position(i.pos);
    for (size_t k = 0; k < i.next.size(); ++k) put("{}{}", k == 0 ? " -> " : ", ", i.next[k].value());
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void position(SourcePos pos) {
    if (pos != SourcePos()) put(" @{}:{}", pos.line, pos.column);
    if (pos.file != 0) put(":{}", pos.file);
  }

  void declared(const std::optional<Range>& range) {
    if (range) put(" in {}..{}", range->lo, range->hi);
  }

  // "x", or "&2 \"not a name\"".
  void introduce(std::string_view reference, std::string_view name) {
    put("{}", reference);
    if (reference != name) put(" {}", quoted(name));
  }

  void object(const Object& object, std::string_view reference) {
    put("object ");
    introduce(reference, object.name);
    if (object.is_array) put(" array");
    if (object.transactional) put(" {}", kTransactional);
    if (object.stamp) put(" {}", kStamp);
    declared(object.declared);
    for (size_t i = 0; i < object.init.size(); ++i) put("{}{}", i == 0 ? " = " : ", ", object.init[i]);
    for (size_t i = 0; i < object.cell_bytes.size(); ++i)
      put("{}{}", i == 0 ? " bytes " : ", ", object.cell_bytes[i]);
    position(object.pos);
    put("\n");
  }

  void thread(ThreadId id) {
    const Thread& thread = program_.thread(id);
    put("thread ");
    introduce(threads_[id.index()], thread.name);
    put(" entry {}", thread.entry.value());
    position(thread.pos);
    put(" {{\n");
    for (size_t i = 0; i < thread.registers.size(); ++i) {
      const Register& r = thread.registers[i];
      put("  {} ", r.temporary ? "temp" : "reg");
      introduce(registers_[id.index()][i], r.name);
      if (r.stamp) put(" {}", kStamp);
      declared(r.declared);
      put(" = {}\n", r.init);
    }
    for (size_t i = 0; i < thread.code.size(); ++i) {
      put("  {}: ", i);
      instruction(thread.code[i], id);
      put("\n");
    }
    put("}}\n");
  }

  const std::string& reg(ThreadId thread, RegId reg) const { return registers_[thread.index()][reg.index()]; }

  void element(ThreadId owner, RegId first, uint32_t count, ExprId index, ThreadId reader) {
    put("{}..{}[", reg(owner, first), reg(owner, RegId(first.index() + count - 1)));
    expr(index, reader);
    put("]");
  }

  void cell(const Address& address, ThreadId thread) {
    put("{}[", objects_[address.object.index()]);
    expr(address.offset, thread);
    put("]");
    if (address.bytes != 0) put(":{}", address.bytes);
  }

  void dest(const Dest& dest, ThreadId thread) {
    if (!dest.valid())
      put("{}", kNoDest);
    else if (dest.is_element())
      element(thread, dest.reg, dest.count, dest.index, thread);
    else
      put("{}", reg(thread, dest.reg));
    put(" = ");
  }

  void fence(FenceKinds kinds) {
    put("fence");
    for (size_t bit = 0; bit < kFences.size(); ++bit)
      if (kinds.bits() >> bit & 1) put(" {}", kFences[bit]);
  }

  const Program& program_;
  std::vector<std::string> objects_, threads_;
  std::vector<std::vector<std::string>> registers_;
  std::string text_;
};

}  // namespace

std::string print_program(const Program& program) {
  Printer printer(program);
  printer.program();
  return printer.take();
}

std::string print_expr(const Program& program, ThreadId thread, ExprId id) {
  Printer printer(program);
  printer.expr(id, thread);
  return printer.take();
}

std::string print_instruction(const Program& program, ThreadId thread, Point point) {
  Printer printer(program);
  printer.instruction(program.thread(thread).at(point), thread);
  return printer.take();
}

}  // namespace fenceline
