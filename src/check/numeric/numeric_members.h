// SPDX-License-Identifier: GPL-3.0-or-later
//
// The invariant as the checker uses it: the states of the certificate, one for each of their disjuncts, and
// the results of flushing their stores. A member may represent more than what it was made of (where
// dimensions that no value names are projected away, integers are relaxed to rationals): the members are what
// is shown to be an invariant, so this is sound.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "check/numeric/numeric_state.h"
#include "model/memory_model.h"
#include "task/numeric_certificate.h"

namespace fenceline::check {

struct NumericMember {
  std::vector<Point> locations;
  std::vector<std::optional<NumericTerm>> memory;
  std::vector<std::vector<std::optional<NumericTerm>>> registers;
  std::vector<NumericBuffer> buffers;
  uint32_t dimensions = 0;  // each is what some term says
  std::vector<LinearFact> facts;
  std::shared_ptr<const LinearSystem> system;  // the same facts
  size_t number = 0;                           // of the state that it was made of
  bool flushed = false;

  FormState as_forms() const;
};

// The state with one of its disjuncts; none if it represents nothing. Precondition: the state is well-formed.
std::optional<NumericMember> member_of(const NumericState& state, size_t disjunct, size_t number,
                                       Buffering buffering);

// All results of flushing one store.
std::vector<NumericMember> flushes(const NumericMember& member, Buffering buffering);

// Members by the locations of their threads.
class NumericMembers {
 public:
  explicit NumericMembers(Buffering buffering) : buffering_(buffering) {}

  void add(NumericMember member);
  const NumericMember& operator[](size_t i) const { return *members_[i]; }
  size_t size() const { return members_.size(); }

  // Does each represented state belong to some member? The state may be split so many times, into parts that
  // each belong to one member. `false` may be a lack of precision.
  bool subsumed(const FormState& state, unsigned cuts) const { return subsumed_cutting(state, cuts); }

 private:
  struct LocationsHash {
    size_t operator()(const std::vector<Point>& locations) const;
  };
  bool subsumed_cutting(const FormState& state, unsigned& cuts) const;
  bool subsumed_by_pieces(const FormState& state, const std::vector<size_t>& candidates,
                          unsigned& cuts) const;

  Buffering buffering_;
  std::vector<std::unique_ptr<NumericMember>> members_;
  std::unordered_map<std::vector<Point>, std::vector<size_t>, LocationsHash> by_locations_;
};

}  // namespace fenceline::check
