// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/object_names.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <set>

#include "frontend/c/cells.h"
#include "frontend/c/library.h"
#include "frontend/c/member_names.h"

namespace fenceline::frontend::c {
namespace {

constexpr const char* kVariableNote = "fenceline.variable";  // of a local variable
constexpr const char* kObjectNote = "fenceline.object";      // of an allocation: its type
constexpr const char* kHeapNote = "heapallocsite";           // Clang's own, of `new`

// What a pointer of that type points to.
const llvm::DIType* pointee(const llvm::DIType* type) {
  const auto* pointer = llvm::dyn_cast_or_null<llvm::DIDerivedType>(plain_type(type));
  if (pointer == nullptr) return nullptr;
  const bool points = pointer->getTag() == llvm::dwarf::DW_TAG_pointer_type ||
                      pointer->getTag() == llvm::dwarf::DW_TAG_reference_type ||
                      pointer->getTag() == llvm::dwarf::DW_TAG_rvalue_reference_type;
  return points ? plain_type(pointer->getBaseType()) : nullptr;
}

const llvm::DILocalVariable* described(llvm::AllocaInst& variable) {
  for (const llvm::DbgDeclareInst* declaration : llvm::findDbgDeclares(&variable))
    if (declaration->getExpression()->getNumElements() == 0) return declaration->getVariable();
  for (const llvm::DbgVariableRecord* declaration : llvm::findDVRDeclares(&variable))
    if (declaration->getExpression()->getNumElements() == 0) return declaration->getVariable();
  return nullptr;
}

// What the result of the function points to.
const llvm::DIType* returned_pointee(const llvm::Function& function) {
  const llvm::DISubprogram* position = function.getSubprogram();
  if (position == nullptr || position->getType() == nullptr) return nullptr;
  const auto types = position->getType()->getTypeArray();
  return types.size() == 0 ? nullptr : pointee(types[0]);
}

// What the pointer is stored in, or returned as.
const llvm::DIType* type_by_use(const llvm::CallBase& call) {
  const llvm::DIType* found = nullptr;
  for (const llvm::User* user : call.users()) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
        store != nullptr && store->getValueOperand() == &call) {
      const llvm::Value* target = store->getPointerOperand();
      if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(target))
        if (const auto* note =
                llvm::dyn_cast_or_null<llvm::DILocalVariable>(local->getMetadata(kVariableNote)))
          found = pointee(note->getType());
      if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(target)) {
        llvm::SmallVector<llvm::DIGlobalVariableExpression*> notes;
        global->getDebugInfo(notes);
        if (!notes.empty()) found = pointee(notes.front()->getVariable()->getType());
      }
    } else if (llvm::isa<llvm::ReturnInst>(user)) {
      found = returned_pointee(*call.getFunction());
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

// `void` and characters are types of memory that is yet to be used for something.
bool says_something(const llvm::DIType* type) {
  const llvm::DIType* plain = plain_type(type);
  return plain != nullptr && size_of(plain) > 1;
}

// `struct ring { unsigned size; int slots[]; }`: what lies behind the structure belongs to its last member.
bool has_flexible_end(const llvm::DIType* type) {
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(plain_type(type));
  if (composite == nullptr || composite->getTag() == llvm::dwarf::DW_TAG_array_type) return false;
  const llvm::DINodeArray elements = composite->getElements();
  for (const llvm::DINode* element : elements)
    if (const auto* member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(element);
        member != nullptr && member->getTag() == llvm::dwarf::DW_TAG_member && !member->isStaticMember())
      if (const auto* array = llvm::dyn_cast_or_null<llvm::DICompositeType>(plain_type(member));
          array != nullptr && array->getTag() == llvm::dwarf::DW_TAG_array_type && size_of(array) == 0)
        return true;
  return false;
}

// An array of words, if nothing is known and all cells have one size.
void name_words(const std::vector<Leaf>& cells, std::vector<PartName>& names) {
  if (cells.size() < 2) return;
  for (size_t i = 0; i < cells.size(); ++i)
    if (cells[i].bytes != cells.front().bytes || !names[i].full.starts_with("+")) return;
  for (size_t i = 0; i < cells.size(); ++i)
    names[i].full = names[i].brief = fmt::format("[{}]", cells[i].offset / cells[i].bytes);
}

}  // namespace

ObjectTypes::ObjectTypes(llvm::Module& module) : layout_(module.getDataLayout()) {
  for (llvm::Function& function : module) note_variables(function);
  for (const llvm::GlobalVariable& variable : module.globals())
    match(variable.getValueType(), type_of(variable));
  match_names(module);
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || !call->getType()->isPointerTy() || !is_library_call(*callee)) continue;
      const auto* named = llvm::dyn_cast_or_null<llvm::DIType>(call->getMetadata(kHeapNote));
      const llvm::DIType* type = says_something(named) ? named : type_by_use(*call);
      if (says_something(type)) call->setMetadata(kObjectNote, const_cast<llvm::DIType*>(type));
    }
}

void ObjectTypes::note_variables(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    const llvm::DILocalVariable* description = variable == nullptr ? nullptr : described(*variable);
    if (description == nullptr) continue;
    variable->setMetadata(kVariableNote, const_cast<llvm::DILocalVariable*>(description));
    match(variable->getAllocatedType(), description->getType());
    if (const llvm::DIType* type = pointee(description->getType())) note_pointer(*variable, *type);
  }
}

// The structure that LLVM accesses behind the pointer.
void ObjectTypes::note_pointer(const llvm::AllocaInst& variable, const llvm::DIType& type) {
  for (const llvm::User* user : variable.users()) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
    if (load == nullptr) continue;
    for (const llvm::User* access : load->users())
      if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(access);
          gep != nullptr && gep->getPointerOperand() == load)
        match(gep->getSourceElementType(), &type);
  }
}

// Two descriptions of one type, and of the types of its members.
void ObjectTypes::match(const llvm::Type* type, const llvm::DIType* description) {
  const auto* structure = llvm::dyn_cast<llvm::StructType>(type);
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(plain_type(description));
  if (structure == nullptr || composite == nullptr || !structure->isSized()) return;
  if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) return match(type, composite->getBaseType());
  if (layout_.getTypeAllocSize(const_cast<llvm::StructType*>(structure)) != size_of(composite)) return;
  if (!structures_.emplace(structure, composite).second) return;
  const llvm::StructLayout& places = *layout_.getStructLayout(const_cast<llvm::StructType*>(structure));
  for (const llvm::DINode* element : composite->getElements()) {
    const auto* member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(element);
    if (member == nullptr || member->isStaticMember() || member->isBitField()) continue;
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      if (8 * places.getElementOffset(i) == member->getOffsetInBits()) {
        const llvm::Type* inner = structure->getElementType(i);
        while (const auto* array = llvm::dyn_cast<llvm::ArrayType>(inner)) inner = array->getElementType();
        match(inner, member->getBaseType());
      }
  }
}

// Of a structure that no variable has, the name.
void ObjectTypes::match_names(const llvm::Module& module) {
  std::map<std::string, const llvm::DIType*> types;
  llvm::DebugInfoFinder finder;
  finder.processModule(module);
  // `typedef struct { ... } set_t;`: the structure has the name of its typedef.
  for (const llvm::DIType* type : finder.types())
    if (!type->getName().empty()) types.emplace(type->getName().str(), type);
  for (const llvm::StructType* structure : module.getIdentifiedStructTypes()) {
    llvm::StringRef name = structure->getName();
    for (const char* prefix : {"struct.", "class.", "union."})
      if (name.consume_front(prefix)) break;
    if (const auto found = types.find(name.str()); found != types.end()) match(structure, found->second);
  }
}

const llvm::DIType* ObjectTypes::type_of(const llvm::Value& origin, const llvm::Type* structure) const {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&origin)) {
    llvm::SmallVector<llvm::DIGlobalVariableExpression*> notes;
    variable->getDebugInfo(notes);
    for (const llvm::DIGlobalVariableExpression* note : notes)
      if (note->getExpression()->getNumElements() == 0) return note->getVariable()->getType();
    return nullptr;
  }
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&origin);
  if (instruction == nullptr) return nullptr;
  if (const auto* note =
          llvm::dyn_cast_or_null<llvm::DILocalVariable>(instruction->getMetadata(kVariableNote)))
    return note->getType();
  if (const auto* note = llvm::dyn_cast_or_null<llvm::DIType>(instruction->getMetadata(kObjectNote)))
    return note;
  if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(instruction))
    structure = local->getAllocatedType();
  return structure == nullptr ? nullptr : type_of_structure(*structure);
}

const llvm::DIType* ObjectTypes::type_of_structure(const llvm::Type& structure) const {
  const auto found = structures_.find(&structure);
  return found == structures_.end() ? nullptr : found->second;
}

std::string variable_name(const llvm::GlobalVariable& variable) {
  std::string name = llvm::demangle(variable.getName().str());
  constexpr std::string_view kNoName = "(anonymous namespace)::";
  for (size_t at = 0; (at = name.find(kNoName)) != std::string::npos;) name.erase(at, kNoName.size());
  return name;
}

std::string variable_name(const llvm::AllocaInst& variable) {
  if (const auto* note = llvm::dyn_cast_or_null<llvm::DILocalVariable>(variable.getMetadata(kVariableNote));
      note != nullptr && !note->getName().empty())
    return note->getName().str();
  // What the compiler has made for an expression has names like "ref.tmp".
  const llvm::StringRef name = variable.getName();
  if (name.starts_with("ref.tmp") || name.starts_with("agg.tmp") || name.starts_with("tmp"))
    return "temporary";
  return name.empty() ? "local" : name.split('.').first.str();
}

void name_cells(const llvm::DIType* type, uint64_t size, std::vector<Leaf>& cells) {
  const uint64_t one = size_of(type) > size ? 0 : size_of(type);
  // Memory for several objects in a row.
  const bool is_array = one != 0 && size > one && size % one == 0 && !has_flexible_end(type);
  std::vector<PartName> names;
  for (const Leaf& cell : cells) {
    const uint64_t index = is_array ? cell.offset / one : 0;
    const auto name = one == 0 ? std::nullopt : part_name(type, cell.offset - index * one, cell.bytes);
    const std::string element = is_array ? fmt::format("[{}]", index) : "";
    const std::string offset = cell.bytes == size ? "" : fmt::format("+{}", cell.offset);
    names.push_back(name ? PartName{element + name->full, element + name->brief, name->content}
                         : PartName{offset, offset, CellContent::kAnything});
  }
  name_words(cells, names);
  std::map<std::string, unsigned> uses;
  for (size_t i = 0; i < cells.size(); ++i)
    if (cells[i].accessed) ++uses[names[i].brief];
  std::set<std::string> taken;
  for (size_t i = 0; i < cells.size(); ++i) {
    Leaf& cell = cells[i];
    cell.name = cell.accessed && uses[names[i].brief] == 1 ? names[i].brief : names[i].full;
    if (!taken.insert(cell.name).second) cell.name = fmt::format("{}+{}", names[i].full, cell.offset);
    // Less than a pointer holds no address.
    cell.content = names[i].content;
    if (cell.content == CellContent::kAnything && cell.bytes < 8) cell.content = CellContent::kSigned;
  }
}

}  // namespace fenceline::frontend::c
