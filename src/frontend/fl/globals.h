// SPDX-License-Identifier: GPL-3.0-or-later
//
// The names of the whole file: constants, shared variables, procedures, threads. Constants and shared
// variables are worked out here, in the order of the text; the bodies of procedures and threads are left to
// the lowering. Also here: constant expressions, and the rejection of recursion, without which inlining would
// not end.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/fl/ast.h"
#include "frontend/fl/diagnostics.h"
#include "frontend/parameters.h"
#include "ir/builder.h"
#include "ir/eval.h"

namespace fenceline::frontend::fl {

constexpr size_t kMaxThreads = 64;
constexpr size_t kMaxCells = 65'536;
constexpr size_t kHuge = size_t{1} << 40;
constexpr Value kMaxTransactionThreads = 4, kMaxTransactionVariables = 4;

// The sizes of an array's dimensions; none for a single variable.
struct Shape {
  std::vector<uint32_t> sizes;

  bool is_array() const { return !sizes.empty(); }
  uint32_t cells() const {
    uint32_t product = 1;
    for (const uint32_t size : sizes) product *= size;
    return product;
  }
};

// The default initial value of variables.
constexpr Value default_value(const std::optional<Range>& range) {
  return range && !range->contains(0) ? range->lo : 0;
}

struct SharedVariable {
  ObjectId object;
  Shape shape;
  std::optional<Range> range;
  bool stamp = false;
  bool transactional = false;
};

// The value of a name in a constant expression; complains and returns nothing if it has none.
using ConstantLookup = std::function<std::optional<Value>(const Name&)>;

class Globals {
 public:
  // Declares the shared variables in `builder`. The file must outlive this object.
  Globals(const File& file, ProgramBuilder& builder, Diagnostics& diagnostics,
          const FrontEndParameters& parameters);

  const Value* constant(std::string_view name) const { return find(constants_, name); }
  const SharedVariable* shared(std::string_view name) const { return find(shared_, name); }
  const Procedure* procedure(std::string_view name) const { return found(procedures_, name); }
  // The program of the file's transaction: read, write, end or abort.
  const Procedure* program(std::string_view name) const { return found(programs_, name); }
  const ThreadDeclaration* thread(std::string_view name) const { return found(threads_, name); }
  bool returns_value(const Procedure& procedure) const { return facts_.at(&procedure).returns_value; }
  // How many parts of the syntax tree an inlined copy represents, calls inside included; at most kHuge.
  size_t inlined_size(const Procedure& procedure) const { return facts_.at(&procedure).inlined_size; }
  bool has_ranges() const { return has_ranges_; }
  bool has_stamps() const { return file_.has_stamps; }

  // How many threads and variables a transactional memory has. Precondition: there is one in the file.
  Value threads() const { return parameter("threads", kMaxTransactionThreads); }
  Value variables() const { return parameter("variables", kMaxTransactionVariables); }

  bool is_structure(std::string_view name) const { return structures_.contains(name); }

  // Names to suggest for one that is unknown.
  void suggest_variables(std::vector<std::string_view>& into) const;
  std::vector<std::string_view> procedure_names() const;
  std::vector<std::string_view> thread_names() const;

  // A thread that the file does not declare itself. It must outlive this object.
  void add_thread(const ThreadDeclaration& thread) { threads_.emplace(thread.name.text, &thread); }

  // Reports a name that is no variable: it may denote something else, or be misspelt.
  void complain_unknown(const Name& name, std::vector<std::string_view> candidates) const;

  // Constant expressions. Nothing is returned where there was a complaint.
  std::optional<Value> evaluate(const Expression& expr, const ConstantLookup& lookup) const;
  std::optional<Range> evaluate_type(const Type& type, const ConstantLookup& lookup, bool& ok) const;
  std::optional<Shape> evaluate_shape(const Variable& variable, const ConstantLookup& lookup) const;
  // Complains if the number or form of the initial values does not fit the shape.
  bool check_initial_values(const Variable& variable, const Shape& shape) const;
  std::optional<Value> lookup_constant(const Name& name) const;  // a ConstantLookup of this file's constants

 private:
  struct Call {
    const Procedure* callee;
    SourcePos pos;
  };

  template <class T>
  static const T* find(const std::unordered_map<std::string_view, T>& map, std::string_view name) {
    const auto it = map.find(name);
    return it == map.end() ? nullptr : &it->second;
  }
  template <class T>
  static const T* found(const std::unordered_map<std::string_view, const T*>& map, std::string_view name) {
    const auto it = map.find(name);
    return it == map.end() ? nullptr : it->second;
  }
  bool declare(const Name& name, const char* what);
  Value parameter(std::string_view name, Value most) const;
  void declare_constant(const Constant& constant);
  void declare_shared(const VariableList& list, ProgramBuilder& builder);
  void declare_parameters(const FrontEndParameters& parameters);
  void check_transactional(const VariableList& list, const Shape& shape);
  void check_transaction();
  std::optional<Value> evaluate_operator(const Expression& expr, const ConstantLookup& lookup) const;
  void check_parameters() const;
  void examine_procedures();
  void complain_recursion(const std::vector<const Procedure*>& path, const Call& call) const;

  struct Facts {
    bool returns_value = false;
    size_t inlined_size = 0;
    std::vector<Call> calls;
  };
  struct Declared {
    SourcePos pos;
    const char* what;
  };

  const File& file_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string_view, Declared> declared_;
  std::unordered_map<std::string_view, Value> constants_;
  std::unordered_map<std::string_view, SharedVariable> shared_;
  std::unordered_map<std::string_view, const Procedure*> procedures_;
  std::unordered_map<std::string_view, const ThreadDeclaration*> threads_;
  std::unordered_map<std::string_view, const Procedure*> programs_;
  std::unordered_map<std::string_view, Value> given_;  // constants that the user has set from outside
  std::unordered_map<std::string_view, SourcePos> structures_;
  std::unordered_map<const Procedure*, Facts> facts_;
  size_t cells_ = 0;
  bool has_ranges_ = false;
  std::optional<SourcePos> transactional_;
};

// How a cell of a structure's field is called: "s[1].a".
std::string field_name(const Variable& variable, const Shape& shape, uint32_t cell);

// The message for an operation on constants that fails; empty if it does not.
std::string complaint_about(EvalStatus status);

}  // namespace fenceline::frontend::fl
