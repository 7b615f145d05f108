// SPDX-License-Identifier: GPL-3.0-or-later
//
// Many states of the machine in one, while a thread executes: values are linear forms over dimensions, about
// which a conjunction of facts is known. Where a case has to be distinguished, the state is copied, and each
// copy gets its own fact; so the facts are shared until they differ.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "check/linear/linear_solver.h"
#include "ir/ids.h"
#include "task/numeric_certificate.h"

namespace fenceline::check {

// Something to call, without owning it: for callbacks that live as long as the call.
template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable>
  requires(!std::is_same_v<Callable, FunctionRef>) FunctionRef(
      const Callable& callable)  // NOLINT(google-explicit-constructor): lambdas are passed as they are
      : object_(&callable), call_([](const void* object, Arguments... arguments) -> Result {
          return (*static_cast<const Callable*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  const void* object_;
  Result (*call_)(const void*, Arguments...);
};

struct FormEntry {
  CellId cell;
  LinearForm value;
  uint64_t epoch = 0;
  bool marked = false;
};

// As NumericTail, but each group of stores that has come in keeps its own bounds, the oldest group first. All
// but the first are single stores. The first one may be none at all if it is monotone and not the last.
struct FormTail {
  CellId cell;
  LinearForm newest;
  std::vector<std::pair<LinearForm, LinearForm>> bounds;  // low, high
  bool first_monotone = true;                             // the first group; a single store does
};

struct FormBuffer {
  std::vector<FormEntry> entries;
  uint64_t epoch = 0;
  std::vector<FormTail> tail;  // by cell

  bool empty() const { return entries.empty() && tail.empty(); }
  bool marked() const;
  bool before_barrier() const;  // is an entry pending that was there before the last barrier?
  bool holds(CellId cell) const;
  const LinearForm* newest(CellId cell) const;  // null: none is pending
  void store(CellId cell, const LinearForm& value, bool one_queue);
};

struct FormState {
  std::vector<Point> locations;
  std::vector<std::optional<LinearForm>> memory;                  // none: smashed
  std::vector<std::vector<std::optional<LinearForm>>> registers;  // none: not known
  std::vector<FormBuffer> buffers;
  uint32_t dimensions = 0;  // all that occur are below
  std::shared_ptr<const LinearSystem> facts = std::make_shared<const LinearSystem>();

  // False: that contradicts what is known, and there is no such state.
  bool assume(const LinearFact& fact) {
    auto more = std::make_shared<LinearSystem>(*facts);
    if (!more->add(fact)) return false;
    facts = std::move(more);
    return true;
  }
  bool assume_not_negative(const LinearForm& form) { return assume({form, false}); }
  bool assume_zero(const LinearForm& form) { return assume({form, true}); }
  LinearForm fresh() { return LinearForm::dimension(dimensions++); }
  // A value of the range about which nothing else is known. Precondition: the range is not empty.
  LinearForm fresh(const Range& range);
  bool implies_not_negative(const LinearForm& form) const {
    return form.is_constant() ? form.constant >= 0 : facts->implies({form, false});
  }
};

// form - value, and so on.
LinearForm less(const LinearForm& form, const Integer& value);
LinearForm difference_of(const LinearForm& a, const LinearForm& b);
LinearForm less_from(const Integer& value, const LinearForm& form);  // value - form

// The bounds of a range that are bounds.
bool has_low(const Range& range);
bool has_high(const Range& range);

}  // namespace fenceline::check
