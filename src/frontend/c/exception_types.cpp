// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/exception_types.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Operator.h>

#include <array>
#include <utility>

namespace fenceline::frontend::c {
namespace {

constexpr llvm::StringRef kTypeInfo = "_ZTI";
constexpr uint64_t kVirtual = 1, kPublic = 2, kOffsetShift = 8;  // of a base class

const llvm::GlobalVariable* type_info(const llvm::Constant& constant) {
  return llvm::dyn_cast<llvm::GlobalVariable>(constant.stripPointerCasts());
}

bool is_pointer(const llvm::GlobalVariable& type) { return type.getName().starts_with("_ZTIP"); }

bool is_member_pointer(const llvm::GlobalVariable& type) { return type.getName().starts_with("_ZTIM"); }

bool is_null_pointer(const llvm::GlobalVariable& type) { return type.getName() == "_ZTIDn"; }  // of nullptr

// int, char and so on have one letter, or two of which the first is a D.
bool is_fundamental(const llvm::GlobalVariable& type) {
  llvm::StringRef name = type.getName();
  return name.consume_front(kTypeInfo) && (name.size() == 1 || (name.size() == 2 && name.starts_with("D")));
}

// "__si_class_type_info": how the type information itself is laid out.
llvm::StringRef layout_of(const llvm::Constant& fields) {
  const llvm::Constant* table = fields.getAggregateElement(0U);
  while (const auto* element = llvm::dyn_cast_or_null<llvm::GEPOperator>(table))
    table = llvm::cast<llvm::Constant>(element->getPointerOperand());
  return table == nullptr ? "" : table->getName();
}

// What functions of the library throw that have no body here, with all base classes.
constexpr std::pair<llvm::StringRef, std::array<llvm::StringRef, 3>> kThrownByLibrary[] = {
    {"__throw_system_error", {"_ZTISt12system_error", "_ZTISt13runtime_error", "_ZTISt9exception"}},
    {"__throw_future_error", {"_ZTISt12future_error", "_ZTISt11logic_error", "_ZTISt9exception"}},
};

// It is not caught there, or it is not known.
std::optional<bool> library_caught(llvm::StringRef function, llvm::StringRef handler) {
  for (const auto& [name, types] : kThrownByLibrary)
    if (function.contains(name) && !llvm::is_contained(types, handler)) return false;
  return std::nullopt;
}

std::optional<bool> has_base(const llvm::Constant& type, const llvm::GlobalVariable& base) {
  const llvm::GlobalVariable* info = type_info(type);
  if (info == nullptr) return std::nullopt;
  if (info->getName() == base.getName()) return true;
  if (is_fundamental(*info)) return false;
  if (!info->hasInitializer()) return std::nullopt;
  const llvm::Constant& fields = *info->getInitializer();
  const llvm::StringRef layout = layout_of(fields);
  if (layout.contains("__class_type_info") && !layout.contains("__si_") && !layout.contains("__vmi_"))
    return false;
  if (layout.contains("__enum_type_info")) return false;
  if (layout.contains("__si_class_type_info")) return has_base(*fields.getAggregateElement(2U), base);
  if (!layout.contains("__vmi_class_type_info")) return std::nullopt;
  const auto number = [&](unsigned i) {
    return llvm::cast<llvm::ConstantInt>(fields.getAggregateElement(i))->getZExtValue();
  };
  unsigned hits = 0;
  for (unsigned i = 0; i < number(3); ++i) {
    const uint64_t how = number(5 + 2 * i);
    const auto one = has_base(*fields.getAggregateElement(4 + 2 * i), base);
    if (!one) return std::nullopt;
    if (!*one) continue;
    // The handler gets the address of the part that is the base class; nothing moves it there.
    if ((how & kVirtual) != 0 || (how & kPublic) == 0 || (how >> kOffsetShift) != 0) return std::nullopt;
    ++hits;
  }
  return hits > 1 ? std::nullopt : std::optional(hits == 1);
}

}  // namespace

bool is_library_throw(llvm::StringRef name) {
  if (!name.consume_front("_ZSt")) return false;
  return name.drop_while([](char c) { return c >= '0' && c <= '9'; }).starts_with("__throw_");
}

std::optional<bool> catches(const llvm::Constant& handler, const llvm::Constant& thrown) {
  if (handler.isNullValue()) return true;
  const llvm::GlobalVariable *wanted = type_info(handler), *type = type_info(thrown);
  if (wanted != nullptr && llvm::isa<llvm::Function>(thrown))
    return library_caught(thrown.getName(), wanted->getName());
  if (wanted == nullptr || type == nullptr) return std::nullopt;
  if (wanted->getName() == type->getName()) return true;
  if (is_null_pointer(*type) && (is_pointer(*wanted) || is_member_pointer(*wanted))) return std::nullopt;
  if (is_pointer(*wanted) != is_pointer(*type)) return false;
  if (is_pointer(*type)) return std::nullopt;  // a conversion of pointers
  if (is_fundamental(*wanted)) return false;
  return has_base(*type, *wanted);
}

std::string type_name(const llvm::Constant& type) {
  if (type.isNullValue()) return "...";
  if (type.getName() == "__cxa_rethrow") return "the one that was caught";
  std::string name = llvm::demangle(type.stripPointerCasts()->getName().str());
  const llvm::StringRef prefix = "typeinfo for ";
  if (name.starts_with(prefix)) return name.substr(prefix.size());
  return llvm::isa<llvm::Function>(type) ? name.substr(0, name.find('(')) : name;
}

}  // namespace fenceline::frontend::c
