// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/preserved_order.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/sat/scene.h"

namespace fenceline::sat {
namespace {

constexpr size_t kKnown = 3;
constexpr Pairs kInOrder = bit(0, 1) | bit(1, 2) | bit(0, 2);  // of one thread, one after the other
constexpr Pairs kEverything = all_pairs(kKnown, false);
constexpr Pairs kIdentity = kDiagonal & kEverything;

// What holds in every scene of known events, given what they are.
struct Facts {
  const char* kinds;      // by event: 'R', 'W', or 'F', a fence that orders loads with later stores
  Pairs same_thread = 0;  // one direction is enough
  Pairs po = 0, rf = 0, ctrl = 0;
  Pairs same_operation = 0, same_location = 0;
  Pairs co = 0, fr = 0;  // what is known of them
  Pairs same_section = 0;
};

Bounds known(const Facts& facts, const Term& term) {
  Pairs reads = 0, writes = 0, fences = 0;
  for (size_t x = 0; x < kKnown; ++x) {
    Pairs& kind = facts.kinds[x] == 'R' ? reads : facts.kinds[x] == 'W' ? writes : fences;
    kind |= bit(x, x);
  }
  const auto exactly = [](Pairs pairs) { return Bounds{pairs, pairs}; };
  const auto maybe = [](Pairs pairs) { return Bounds{pairs, 0}; };
  const std::string& name = term.name;
  if (term.is_set) {
    if (name == "_") return exactly(kIdentity);
    if (name == "R") return exactly(reads);
    if (name == "W") return exactly(writes);
    if (name == "M") return exactly(reads | writes);
    if (name == "F") return exactly(fences);
    if (name == "LS") return exactly(fences);
    if (name == "IW") return exactly(0);
    return maybe(kIdentity);
  }
  const Pairs diagonal = kIdentity;
  const Pairs inside = symmetric(facts.same_thread) | diagonal;
  if (name == "id") return exactly(diagonal);
  if (name == "po") return exactly(facts.po);
  if (name == "rf") return exactly(facts.rf);
  if (name == "int") return exactly(inside);
  if (name == "ext") return exactly(kEverything & ~inside);
  // No two of them are of one read-modify-write, and most are not of one atomic section: there are no loops in
  // these.
  if (name == "rmw") return exactly(0);
  if (name == "atomic") return exactly(symmetric(facts.same_section));
  if (name == "operation") return exactly(symmetric(facts.same_operation));
  if (name == "ctrl") return {facts.po, facts.ctrl};
  if (name == "co") return {kEverything, facts.co};
  if (name == "fr") return {kEverything, facts.fr};
  if (name == "loc") return {kEverything, symmetric(facts.rf) | symmetric(facts.same_location) | diagonal};
  return maybe(kEverything);
}

bool orders_what_others_read(const Constraint& constraint) {
  return constraint.kind == ConstraintKind::kAcyclic && !constraint.flag && !constraint.negated;
}

Scene scene_of(const Facts& facts) {
  return {kKnown, [facts](const Term& term) { return known(facts, term); }};
}

// The acyclic constraints in which a path leads from the first known event to the last one.
std::vector<bool> ordering(const CatModel& model, const Facts& facts) {
  const Scene scene = scene_of(facts);
  const std::vector<Bounds> bounds = scene.evaluate(model);
  std::vector<bool> result;
  for (const Constraint& constraint : model.constraints)
    result.push_back(orders_what_others_read(constraint) && scene.has_path(constraint, bounds, 0, 2));
  return result;
}

// Does the same acyclic constraint order these and what is read from other threads?
bool keeps(const CatModel& model, const Facts& facts) {
  const std::vector<bool> kept = ordering(model, facts);
  const std::vector<bool> read = ordering(model, {"WRR", bit(1, 2), bit(1, 2), bit(0, 1) | bit(0, 2)});
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i] && read[i]) return true;
  return false;
}

}  // namespace

bool forbids_reading_the_future(const CatModel& model) {
  return scene_of({"RWW", kInOrder, kInOrder, bit(1, 0)}).forbidden(model);
}

bool reads_own_last_write(const CatModel& model) {
  // Two writes and a read of the first one. Either write may be the later one in coherence order.
  Facts facts{"WWR", kInOrder, kInOrder, bit(0, 2), 0, 0, kInOrder};
  // The overwriting one and the read may be of one atomic section.
  for (const Pairs section : {Pairs{0}, bit(1, 2)}) {
    facts.same_section = section;
    facts.co = bit(1, 0);
    facts.fr = 0;
    if (!scene_of(facts).forbidden(model)) return false;
    facts.co = bit(0, 1);
    facts.fr = bit(2, 1);
    if (!scene_of(facts).forbidden(model)) return false;
  }
  return true;
}

bool keeps_control_dependencies(const CatModel& model) {
  if (!forbids_reading_the_future(model)) return false;
  // A cycle alternates between reads from other threads and control dependencies to writes. (What depends on
  // a read of the own thread comes after the write that it reads, so it depends on what that write depends
  // on.) The read and the write that depends on it are of one operation, or of two.
  Facts facts{"WRW", bit(1, 2), bit(1, 2), bit(0, 1), bit(1, 2)};
  const std::vector<bool> separate = ordering(model, facts);
  facts.same_operation = bit(1, 2);
  const std::vector<bool> together = ordering(model, facts);
  for (size_t i = 0; i < separate.size(); ++i)
    if (separate[i] && together[i]) return true;
  return false;
}

bool keeps_load_store_fences(const CatModel& model) { return keeps(model, {"RFW", kInOrder, kInOrder}); }

bool keeps_load_store_locations(const CatModel& model) {
  return keeps(model, {"RRW", kInOrder, kInOrder, 0, 0, 0, bit(0, 2)});
}

}  // namespace fenceline::sat
