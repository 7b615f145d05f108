// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/preserved_order.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/sat/scene.h"
#include "env/errors.h"

namespace fenceline::sat {
namespace {

constexpr size_t kKnown = 3;
constexpr Pairs kInOrder = bit(0, 1) | bit(1, 2) | bit(0, 2);  // of one thread, one after the other
constexpr Pairs kEverything = all_pairs(kKnown, false);
constexpr Pairs kIdentity = kDiagonal & kEverything;

// What holds in every scene of known events, given what they are.
struct Facts {
  const char* kinds;      // by event: 'R', 'W', 'F', a fence that orders loads with later stores, or '?': any
  Pairs same_thread = 0;  // one direction is enough
  Pairs po = 0, rf = 0, ctrl = 0;
  Pairs same_operation = 0, same_location = 0;
  Pairs co = 0, fr = 0;  // what is known of them
  Pairs same_section = 0;
  Pairs in_sections = 0, in_no_sections = 0;  // those of which that is known
  Pairs rmw = 0, addr = 0, data = 0;
  // By event: the instruction, if more is known than that.
  const Instruction* instructions[kKnown] = {};
};

// Is the event of that kind, of the instruction, in a set that programs mark?
bool is_marked(std::string_view set, char kind, const Instruction& instruction) {
  const bool rmw = instruction.kind == InstrKind::kRmw;
  if (set == "RMW") return rmw;
  if (set == "SL") return kind == 'F' && instruction.fence.has_store_load();
  if (set == "SS") return kind == 'F' && instruction.fence.has_store_store();
  if (set == "LL") return kind == 'F' && instruction.fence.has_load_load();
  if (set == "LS") return kind == 'F' && instruction.fence.has_load_store();
  const std::vector<std::string>& tags = rmw && kind == 'W' ? instruction.write_tags : instruction.tags;
  return std::find(tags.begin(), tags.end(), set) != tags.end();
}

// What is marked, of those events whose instructions are known.
Bounds marked(const Facts& facts, std::string_view set) {
  Bounds result{kIdentity, 0};
  for (size_t x = 0; x < kKnown; ++x) {
    if (facts.instructions[x] == nullptr) continue;
    const bool member = is_marked(set, facts.kinds[x], *facts.instructions[x]);
    if (member) result.lower |= bit(x, x);
    if (!member) result.upper &= ~bit(x, x);
  }
  return result;
}

// `unknown` are events of which nothing is known.
Bounds known_relation(const Facts& facts, std::string_view name, Pairs unknown) {
  Pairs with_unknown = 0;
  for (size_t x = 0; x < kKnown; ++x)
    for (size_t y = 0; y < kKnown; ++y)
      if ((unknown & (bit(x, x) | bit(y, y))) != 0) with_unknown |= bit(x, y);
  const auto between = [&](Pairs upper, Pairs lower) {
    return Bounds{upper | with_unknown, lower & ~with_unknown};
  };
  const auto exactly = [&](Pairs pairs) { return between(pairs, pairs); };
  const Pairs inside = symmetric(facts.same_thread) | kIdentity;
  if (name == "id") return {kIdentity, kIdentity};
  if (name == "po") return exactly(facts.po);
  if (name == "rf") return exactly(facts.rf);
  if (name == "int") return exactly(inside);
  if (name == "ext") return exactly(kEverything & ~inside);
  // Most are not of one read-modify-write or atomic section: there are no loops in these.
  if (name == "rmw") return exactly(facts.rmw);
  if (name == "atomic") return exactly(symmetric(facts.same_section | facts.rmw));
  if (name == "operation") return exactly(symmetric(facts.same_operation));
  if (name == "ctrl") return between(facts.po, facts.ctrl);
  if (name == "addr") return between(kEverything, facts.addr);
  if (name == "data") return between(kEverything, facts.data);
  if (name == "co") return between(kEverything, facts.co);
  if (name == "fr") return between(kEverything, facts.fr);
  if (name == "loc")
    return between(kEverything, symmetric(facts.rf) | symmetric(facts.same_location) | kIdentity);
  return {kEverything, 0};
}

Bounds known(const Facts& facts, const Term& term) {
  Pairs reads = 0, writes = 0, fences = 0, unknown = 0;
  for (size_t x = 0; x < kKnown; ++x) {
    Pairs& kind = facts.kinds[x] == 'R'   ? reads
                  : facts.kinds[x] == 'W' ? writes
                  : facts.kinds[x] == 'F' ? fences
                                          : unknown;
    kind |= bit(x, x);
  }
  if (!term.is_set) return known_relation(facts, term.name, unknown);
  const auto kind_of = [&](Pairs pairs) { return Bounds{pairs | unknown, pairs}; };
  const std::string& name = term.name;
  if (name == "_") return {kIdentity, kIdentity};
  if (name == "R") return kind_of(reads);
  if (name == "W") return kind_of(writes);
  if (name == "M") return kind_of(reads | writes);
  if (name == "F") return kind_of(fences);
  if (name == "LS" && facts.instructions[0] == nullptr) return kind_of(fences);
  if (name == "IW") return {unknown, 0};
  if (name == "SECTION") return {kIdentity & ~facts.in_no_sections, facts.in_sections};
  if (name == "ATOMIC") return {kIdentity, 0};
  return marked(facts, name);
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

bool forbids_rmw_in_section(const CatModel& model, const Instruction& rmw) {
  Facts facts{.kinds = "RWW", .same_thread = kInOrder, .po = bit(0, 2) | bit(1, 2)};
  facts.same_section = kInOrder;
  facts.in_sections = kIdentity;
  facts.rmw = bit(0, 1);
  facts.instructions[0] = facts.instructions[1] = &rmw;
  return scene_of(facts).forbidden(model);
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

bool reads_own_writes_or_later(const CatModel& model) {
  Facts facts{.kinds = "WWR", .same_thread = bit(1, 2), .po = bit(1, 2), .rf = bit(0, 2)};
  facts.same_location = bit(0, 1) | bit(1, 2) | bit(0, 2);
  facts.co = bit(0, 1);
  facts.fr = bit(2, 1);
  return scene_of(facts).forbidden(model);
}

bool reads_follow_coherence(const CatModel& model) {
  Facts facts{.kinds = "WRR", .same_thread = bit(1, 2), .po = bit(1, 2), .rf = bit(0, 1)};
  facts.same_location = kInOrder;
  facts.fr = bit(2, 0);
  return forbids_reading_the_future(model) && reads_own_last_write(model) &&
         reads_own_writes_or_later(model) && scene_of(facts).forbidden(model);
}

bool forbids_load_buffering(const CatModel& model) {
  if (!forbids_reading_the_future(model)) return false;
  // A cycle alternates between reads from other threads and paths from a read to a later write, or to the write of the
  // same instruction. (What reads a write of its own thread comes after that.)
  Facts facts{"WRW", bit(1, 2), bit(1, 2), bit(0, 1)};
  const std::vector<bool> separate = ordering(model, facts);
  facts.same_operation = bit(1, 2);
  const std::vector<bool> together = ordering(model, facts);
  facts.po = 0;
  facts.rmw = bit(1, 2);
  facts.in_no_sections = bit(1, 1) | bit(2, 2);
  const std::vector<bool> instruction = ordering(model, facts);
  std::swap(facts.in_no_sections, facts.in_sections);
  const std::vector<bool> in_section = ordering(model, facts);
  for (size_t i = 0; i < separate.size(); ++i)
    if (separate[i] && together[i] && instruction[i] && in_section[i]) return true;
  return false;
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

std::vector<bool> orders_external_reads(const CatModel& model) {
  return ordering(model, {"WRR", bit(1, 2), bit(1, 2), bit(0, 1) | bit(0, 2)});
}

namespace {

// A write that is before another one in coherence order although that one is read before it in its thread.
bool orders_what_is_read_by_coherence(const CatModel& model) {
  Facts facts{.kinds = "WRW", .same_thread = bit(1, 2), .po = bit(1, 2), .rf = bit(0, 1)};
  facts.same_location = bit(0, 1) | bit(1, 2) | bit(0, 2);
  facts.co = bit(2, 0);
  return scene_of(facts).forbidden(model);
}

// The same for the write of a read-modify-write and what its read reads.
bool orders_what_rmw_reads_by_coherence(const CatModel& model, bool in_section) {
  Facts facts{.kinds = "WRW", .same_thread = bit(1, 2), .rf = bit(0, 1)};
  facts.rmw = bit(1, 2);
  facts.same_location = bit(0, 1) | bit(1, 2) | bit(0, 2);
  facts.co = bit(2, 0);
  (in_section ? facts.in_sections : facts.in_no_sections) = bit(1, 1) | bit(2, 2);
  return scene_of(facts).forbidden(model);
}

// Two writes of a thread to one location in the other coherence order.
bool orders_own_writes_by_coherence(const CatModel& model) {
  Facts facts{.kinds = "?WW", .same_thread = bit(1, 2), .po = bit(1, 2)};
  facts.same_location = bit(1, 2);
  facts.co = bit(2, 1);
  return scene_of(facts).forbidden(model);
}

// By constraint: does it certainly order two writes of different threads as coherence does?
std::vector<bool> orders_external_coherence(const CatModel& model) {
  Facts facts{.kinds = "W?W"};
  facts.same_location = facts.co = bit(0, 2);
  return ordering(model, facts);
}

// By constraint: is a read certainly ordered behind the last earlier write of its thread to the same location? If it reads
// that write; else what it reads is a write of another thread behind that in coherence order.
std::vector<bool> orders_write_and_read(const CatModel& model, const AccessPair& pair,
                                        const std::vector<bool>& coherence) {
  Facts facts{.kinds = "RWR"};
  const bool rmw = pair.first->kind == InstrKind::kRmw;
  if (!rmw) facts.kinds = "?WR";
  facts.same_thread = rmw ? kInOrder : bit(1, 2);
  facts.po = rmw ? bit(0, 2) | bit(1, 2) : bit(1, 2);
  facts.rmw = rmw ? bit(0, 1) : 0;
  facts.rf = bit(1, 2);
  facts.same_location = bit(1, 2);
  facts.instructions[0] = rmw ? pair.first : nullptr;
  facts.instructions[1] = pair.first;
  facts.instructions[2] = pair.second;
  const std::vector<Bounds> bounds = scene_of(facts).evaluate(model);
  std::vector<bool> result(model.constraints.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = orders_what_others_read(model.constraints[i]) && coherence[i] &&
                (bounds[model.constraints[i].term.index()].lower & bit(1, 2)) != 0;
  return result;
}

}  // namespace

PreservedOrder::PreservedOrder(const CatModel& model)
    : model_(model),
      external_reads_(orders_external_reads(model)),
      external_coherence_(orders_external_coherence(model)),
      own_writes_by_coherence_(orders_own_writes_by_coherence(model)),
      what_is_read_by_coherence_(orders_what_is_read_by_coherence(model)),
      what_rmw_reads_by_coherence_(orders_what_rmw_reads_by_coherence(model, false)),
      what_rmw_in_section_reads_by_coherence_(orders_what_rmw_reads_by_coherence(model, true)),
      own_writes_or_later_(reads_own_writes_or_later(model)) {}

const std::vector<bool>& PreservedOrder::orders(AccessPair pair) {
  for (const Instruction** one : {&pair.first, &pair.middle, &pair.second}) *one = representative(*one);
  const auto [found, is_new] = known_.try_emplace(pair);
  if (is_new) found->second = decide(pair);
  return found->second;
}

// The first one that the scenes do not distinguish from it (is_marked).
const Instruction* PreservedOrder::representative(const Instruction* instruction) {
  if (instruction == nullptr) return nullptr;
  const auto [known, is_new] = representatives_.try_emplace(instruction, instruction);
  if (!is_new) return known->second;
  for (const auto& [other, first] : representatives_)
    if (other == first && other->kind == instruction->kind && other->tags == instruction->tags &&
        other->write_tags == instruction->write_tags && other->fence == instruction->fence)
      return known->second = first;
  return instruction;
}

std::vector<bool> PreservedOrder::decide(const AccessPair& pair) const {
  const bool fence = pair.middle != nullptr && pair.middle->kind == InstrKind::kFence;
  require(pair.first != nullptr || !fence,
          "of a fence behind an unknown access too much would be taken to be known");
  const char middle = pair.middle == nullptr ? '?' : fence ? 'F' : pair.middle_writes ? 'W' : 'R';
  const char kinds[] = {pair.first_writes ? 'W' : 'R', middle, pair.second_writes ? 'W' : 'R', 0};
  Facts facts{.kinds = kinds};
  facts.same_thread = facts.po = pair.middle == nullptr ? bit(0, 2) : kInOrder;
  if (pair.same_instruction) {
    facts.po = 0;
    facts.rmw = bit(0, 2);
    (pair.in_section ? facts.in_sections : facts.in_no_sections) = bit(0, 0) | bit(2, 2);
  }
  facts.instructions[0] = pair.first;
  facts.instructions[1] = pair.middle;
  facts.instructions[2] = pair.second;
  using Kind = AccessPair::Dependency;
  const auto holds = [&](Kind kind, Kind of) { return (static_cast<int>(kind) & static_cast<int>(of)) != 0; };
  facts.ctrl = holds(Kind::kCtrl, pair.of_second) ? bit(0, 2) : 0;
  facts.data = ((holds(Kind::kData, pair.of_second) ? bit(0, 2) : 0) |
                (holds(Kind::kData, pair.of_middle) ? bit(0, 1) : 0));
  facts.addr = ((holds(Kind::kAddr, pair.of_second) ? bit(0, 2) : 0) |
                (holds(Kind::kAddr, pair.of_middle) ? bit(0, 1) : 0));
  facts.rf = pair.second_reads_middle ? bit(1, 2) : 0;
  facts.same_location = ((pair.ends_alias ? bit(0, 2) : 0) | (pair.middle_and_second_alias ? bit(1, 2) : 0));
  if (pair.middle_writes && pair.second_writes && pair.middle_and_second_alias && own_writes_by_coherence_)
    facts.co = bit(1, 2);
  std::vector<bool> ordered = ordering(model_, facts);
  const auto also = [&](const std::vector<bool>& more) {
    for (size_t i = 0; i < ordered.size(); ++i) ordered[i] = ordered[i] || more[i];
  };
  // A read and a write of one location: the write comes behind what the read reads.
  if (pair.ends_alias && !pair.first_writes && pair.second_writes && what_is_read_by_coherence_)
    also(external_coherence_);
  if (pair.same_instruction &&
      (pair.in_section ? what_rmw_in_section_reads_by_coherence_ : what_rmw_reads_by_coherence_))
    also(external_coherence_);
  if (pair.ends_alias && pair.first_writes && !pair.second_writes && own_writes_or_later_)
    also(orders_write_and_read(model_, pair, external_coherence_));
  for (size_t i = 0; i < ordered.size(); ++i) ordered[i] = ordered[i] && external_reads_[i];
  return ordered;
}

bool keeps_load_store_fences(const CatModel& model) { return keeps(model, {"RFW", kInOrder, kInOrder}); }

bool keeps_load_store_locations(const CatModel& model) {
  return keeps(model, {"RRW", kInOrder, kInOrder, 0, 0, 0, bit(0, 2)});
}

}  // namespace fenceline::sat
