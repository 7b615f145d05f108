// SPDX-License-Identifier: GPL-3.0-or-later
//
// What all architectures are read into: locations, and per thread a list of small operations over registers.
// It is the IR with one difference: an address is still a number in an expression. Most tests keep addresses
// in registers ("0:X1=x") and may compute with them, so a location is a number here (its address),
// and only when all threads are read is it decided which object an access goes to (addresses.cpp).
//
// Values have sizes. A register holds a number of 64 bits; what a narrower instruction makes of it is written
// down with ProgramBuilder::wrap(). In memory a narrow value lies as most loads of the architecture want it:
// extended with zeros, or with its sign. All accesses to a location must be of the same size: values are not
// split into bytes.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/source.h"
#include "frontend/litmus/lexer.h"
#include "frontend/litmus/types.h"
#include "ir/builder.h"

namespace fenceline::frontend::litmus {

using LocationId = Id<struct LocationTag>;
using LabelId = Id<struct CodeLabelTag>;

// Addresses are far from each other and from all numbers that users can write (lexer.cpp).
constexpr unsigned kAddressShift = 32;
constexpr Value kFirstAddress = Value{1} << 61;
constexpr Value address_of(LocationId location) {
  return kFirstAddress + (static_cast<Value>(location.index()) << kAddressShift);
}

struct Location {
  std::string name;
  Value init = 0;
  SourcePos pos;
  uint8_t bytes = 0;         // of its declared type, or else of the accesses to it; 0: not known (yet)
  bool is_unsigned = false;  // it was declared so; it is printed accordingly
};

// What is different about values from one architecture to the other.
struct ValueRules {
  bool signed_memory = true;  // narrow values are kept with their sign, else with zeros in front
  // Bytes of an address in memory; 0: any. Tests of machines of 32 bits keep addresses in narrow values.
  uint8_t address_bytes = 8;
};

enum class OpKind : uint8_t {
  kLoad,
  kStore,
  kRmw,
  kFence,
  kAssign,
  kBranch,
  kChoose,
  kGuess,
  kJump,
  kLabel,
};

// Operands as in ir/instruction.h.
struct Op {
  OpKind kind = OpKind::kFence;
  SourcePos pos;
  RegId dest;         // kLoad, kRmw (may be invalid), kAssign
  ExprId address;     // kLoad, kStore, kRmw: a number
  uint8_t bytes = 0;  // of the access; 0: as many as the location has
  ExprId a, b;        // kBranch: to `label` if a != 0, else on; kChoose: to `label` or on
  RmwOp rmw = RmwOp::kXchg;
  FenceKinds fence;
  MemoryOrder order = MemoryOrder::kPlain;
  std::vector<std::string> tags, write_tags;
  LabelId label;  // kBranch, kChoose, kJump, kLabel
};

using Tags = std::vector<std::string>;

// How an access is ordered, and what models call it.
struct Strength {
  MemoryOrder order = MemoryOrder::kPlain;
  Tags tags, write_tags;
};

class TestCode;

// One thread.
class ThreadCode {
 public:
  ThreadCode(TestCode& test, uint32_t number, ThreadBuilder& builder, SourcePos pos)
      : test_(test), number_(number), builder_(builder), pos_(pos) {}

  // The register that `key` names; it is made when it is first used, with its initial value.
  RegId reg(const std::string& key);
  std::optional<RegId> find_reg(const std::string& key) const;
  // Its values are of this width (kWrap); 0: not declared.
  void set_width(RegId reg, int width) { widths_[reg] = width; }
  int width_of(RegId reg) const {
    const auto found = widths_.find(reg);
    return found == widths_.end() ? 0 : found->second;
  }
  ExprId value(const std::string& key);  // of the register
  RegId temp() { return builder_.temp(); }

  // Accesses of so many bytes; 0: of as many as the location has. What is loaded is as memory keeps it.
  void load(RegId dest, ExprId address, uint8_t bytes, SourcePos pos, const Strength& strength = {});
  void store(ExprId address, ExprId value, uint8_t bytes, SourcePos pos, const Strength& strength = {});
  void rmw(RmwOp op, RegId dest, ExprId address, ExprId a, ExprId b, uint8_t bytes, SourcePos pos,
           const Strength& strength = {});
  void fence(FenceKinds kinds, SourcePos pos, Tags tags = {});
  void assign(RegId dest, ExprId value, SourcePos pos);
  // dest = value, where `value` is the result of the expression just read: if its last step was to put it
  // into a temporary register, that step writes `dest` instead.
  void assign_result(RegId dest, ExprId value, SourcePos pos);

  // dest = memory; memory = op(dest, operand): in one step. Precondition: the IR has such an rmw.
  void fetch(ExprOp op, RegId dest, ExprId address, ExprId operand, uint8_t bytes, SourcePos pos,
             const Strength& strength);
  // old = memory; if it is `expected`, memory = desired and success = 1, else success = 0. If its read is the
  // same in both cases it is one rmw. Else one of two alternatives is guessed, and the execution is discarded
  // if the guess was incorrect: a `cas` that succeeds, or a load of something else. So both have the strength
  // that they should have. `around` is put before and behind a success. A `weak` one may also fail
  // spuriously: its load may find what is expected. Either way it is one instruction and no branch: what
  // follows depends on it only through `old` and `success`, which may be invalid if it is not wanted.
  // Precondition: the expressions read neither of them.
  struct Swap {
    Strength success, failure;
    std::function<void()> around;
    bool weak = false;
  };
  void compare_and_swap(RegId old, RegId success, ExprId address, ExprId expected, ExprId desired,
                        uint8_t bytes, SourcePos pos, const Swap& swap);

  LabelId label() { return LabelId(labels_++); }
  void bind(LabelId label, SourcePos pos);
  void jump(LabelId label, SourcePos pos);
  void branch(ExprId condition, LabelId label, SourcePos pos);
  void choose(LabelId label, SourcePos pos);
  void guess(ExprId condition, SourcePos pos);

  void drop_from(size_t from) { ops_.resize(from); }  // the operations from this one on

  uint32_t number() const { return number_; }
  ThreadId id() const { return builder_.id(); }
  SourcePos pos() const { return pos_; }
  ThreadBuilder& builder() { return builder_; }
  const std::vector<Op>& ops() const { return ops_; }
  uint32_t label_count() const { return labels_; }
  // By RegId, as far as they were made by reg().
  const std::map<std::string, RegId>& registers() const { return registers_; }

 private:
  bool is_named(RegId reg) const;                 // else it is a temporary
  ExprId in_memory(ExprId value, uint8_t bytes);  // as memory keeps it
  Op& add(OpKind kind, SourcePos pos);
  Op& access(OpKind kind, ExprId address, SourcePos pos, const Strength& strength);

  TestCode& test_;
  uint32_t number_;
  ThreadBuilder& builder_;
  SourcePos pos_;
  std::map<std::string, RegId> registers_;
  std::map<RegId, int> widths_;
  std::vector<Op> ops_;
  uint32_t labels_ = 0;
};

class TestCode {
 public:
  TestCode(const SourceFile& file, const ValueRules& values) : file_(file), program_(file), values_(values) {}

  const SourceFile& file() const { return file_; }
  ProgramBuilder& program() { return program_; }
  [[noreturn]] void fail(SourcePos pos, std::string message, std::string hint = {}) const {
    litmus::fail(file_, pos, std::move(message), std::move(hint));
  }

  const ValueRules& values() const { return values_; }
  // The width of kWrap with which memory keeps so many bytes; 0: as they are.
  int memory_width(uint8_t bytes) const {
    if (bytes == 0 || bytes >= 8) return 0;
    return values_.signed_memory ? 8 * bytes : -8 * bytes;
  }
  // May an address be a value of so many bytes?
  bool holds_address(uint8_t bytes) const {
    return bytes == 0 || values_.address_bytes == 0 || bytes >= values_.address_bytes;
  }
  // The location is declared with, or accessed with, so many bytes.
  void set_size(LocationId id, uint8_t bytes, SourcePos pos);

  LocationId location(std::string_view name, SourcePos pos);  // is made when it is first used
  std::optional<LocationId> find_location(std::string_view name) const;
  Location& at(LocationId id) { return locations_[id.index()]; }
  const std::vector<Location>& locations() const { return locations_; }
  ExprId address(LocationId id) { return program_.constant(address_of(id)); }

  void set_initial(uint32_t thread, const std::string& key, Value value, SourcePos pos);
  // Of the register in every thread that has one of this name.
  void set_initial_everywhere(const std::string& key, Value value) { everywhere_[key] = value; }
  Value initial(uint32_t thread, const std::string& key) const;  // 0 by default

  ThreadCode& add_thread(uint32_t number, SourcePos pos);
  std::deque<ThreadCode>& threads() { return threads_; }

  // All threads are read: registers that only the initial state names are made, and it must name no thread
  // that is not there.
  void finish_registers();
  // Makes the objects and the threads of the program. Rejects accesses to no location.
  void emit();

  // After emit(): the final value of the location, as a number of its type; and the width of that (kWrap).
  ExprId final_value(LocationId id);
  int final_width(LocationId id) const;

 private:
  // Of all locations, given the sizes of accesses that may be to any of them; initial values must fit.
  void find_sizes(const std::set<uint8_t>& of_unknown_accesses);
  void make_objects();

  struct Initial {
    Value value = 0;
    SourcePos pos;
  };

  const SourceFile& file_;
  ProgramBuilder program_;
  const ValueRules values_;
  std::vector<Location> locations_;
  std::map<std::string, LocationId, std::less<>> by_name_;
  std::map<std::pair<uint32_t, std::string>, Initial> initial_;
  std::map<std::string, Value> everywhere_;
  std::deque<ThreadCode> threads_;
  std::vector<ObjectId> objects_;  // by LocationId; all the same if there is one object for all
  bool one_object_ = false;
};

}  // namespace fenceline::frontend::litmus
