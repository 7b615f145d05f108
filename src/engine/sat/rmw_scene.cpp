// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/rmw_scene.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fenceline::sat {
namespace {

Bounds known_set(const RmwScene& facts, const std::string& name) {
  const Pairs identity = kDiagonal & all_pairs(facts.known(), false);
  const auto exactly = [](Pairs pairs) { return Bounds{pairs, pairs}; };
  const auto one = [](size_t event) { return bit(event, event); };
  const Pairs fifth = facts.source_reads ? one(kSourceRead) : 0;
  const Pairs reads = one(kRead) | fifth | (facts.fourth == Fourth::kWriteBetween ? 0 : one(kFourth));
  if (name == "_" || name == "M") return exactly(identity);
  if (name == "R") return exactly(reads);
  if (name == "W") return exactly(identity & ~reads);
  if (name == "F") return exactly(0);
  if (name == "IW") return {facts.source_reads ? 0 : one(kSource), 0};
  if (name == "RMW" || name == "ATOMIC")
    return {identity, one(kRead) | one(kWrite) | fifth | (facts.source_reads ? one(kSource) : 0)};
  if (name == "SECTION") return {identity & ~(one(kRead) | one(kWrite)), 0};  // the precondition
  if (name == "FW") return {identity & ~reads, 0};
  const auto has = [&](const std::vector<std::string>& tags) {
    return std::find(tags.begin(), tags.end(), name) != tags.end();
  };
  const Pairs tagged =
      (has(facts.instruction.tags) ? one(kRead) : 0) | (has(facts.instruction.write_tags) ? one(kWrite) : 0);
  return {one(kSource) | one(kFourth) | fifth | tagged, tagged};
}

Bounds known(const RmwScene& facts, const Term& term) {
  const std::string& name = term.name;
  if (term.is_set) return known_set(facts, name);
  const Pairs everything = all_pairs(facts.known(), false), identity = kDiagonal & everything;
  const auto exactly = [](Pairs pairs) { return Bounds{pairs, pairs}; };
  // The read and the write of an rmw are of one instruction: po does not relate them.
  const Pairs rmw = bit(kRead, kWrite) | (facts.source_reads ? bit(kSourceRead, kSource) : 0);
  Pairs po = facts.together_po;
  if (facts.source_inside) po |= bit(kSource, kRead) | bit(kSource, kWrite);
  if (facts.fourth_inside && facts.before) po |= bit(kFourth, kRead) | bit(kFourth, kWrite);
  if (facts.fourth_inside && !facts.before) po |= bit(kRead, kFourth) | bit(kWrite, kFourth);
  if (facts.source_reads) po |= bit(kSourceRead, kRead) | bit(kSourceRead, kWrite);
  const Pairs between =
      symmetric(bit(kSource, kFourth) | (facts.source_reads ? bit(kSourceRead, kFourth) : 0));
  Pairs inside = symmetric(po | rmw) | identity;
  if (facts.together || (facts.source_inside && facts.fourth_inside)) inside |= between;
  const Pairs in_order = po | (facts.together_po != 0 ? 0 : inside & between);  // and perhaps so
  if (name == "id") return exactly(identity);
  if (name == "po") return {in_order, po};
  if (name == "int") return exactly(inside);
  if (name == "ext") return exactly(everything & ~inside);
  if (name == "loc") return exactly(everything);
  if (name == "rmw") return exactly(rmw);
  if (name == "atomic") return exactly(symmetric(rmw));
  if (name == "addr" || name == "data" || name == "ctrl") return {in_order, 0};
  const bool writes = facts.fourth == Fourth::kWriteBetween, earlier = facts.fourth == Fourth::kEarlierRead;
  if (name == "rf")
    return exactly(bit(kSource, kRead) | (facts.fourth == Fourth::kReader ? bit(kWrite, kFourth) : 0));
  if (name == "co" && facts.overwritten) return exactly(bit(kWrite, kSource));
  if (name == "co")
    return exactly(bit(kSource, kWrite) | (writes ? bit(kSource, kFourth) | bit(kFourth, kWrite) : 0));
  if (name == "fr") {
    const Pairs sure = (facts.overwritten ? 0 : bit(kRead, kWrite)) | (writes ? bit(kRead, kFourth) : 0) |
                       (earlier ? bit(kFourth, kSource) | bit(kFourth, kWrite) : 0);
    return {sure | (facts.source_reads ? everything : 0), sure};
  }
  return {everything, 0};
}

Bounds known_around(const Instruction& instruction, bool reads_it, const Term& term) {
  const size_t known = reads_it ? 4 : 5;
  const Pairs everything = all_pairs(known, false), identity = kDiagonal & everything;
  const auto exactly = [](Pairs pairs) { return Bounds{pairs, pairs}; };
  const auto one = [](size_t event) { return bit(event, event); };
  const std::string& name = term.name;
  const Pairs pair = one(kRead) | one(kWrite), other = reads_it ? 0 : one(kOverwriting);
  if (term.is_set) {
    if (name == "_" || name == "M") return exactly(identity);
    if (name == "R") return exactly(one(kEarlier) | one(kRead) | one(kLater));
    if (name == "W") return exactly(one(kWrite) | other);
    if (name == "F" || name == "IW") return exactly(0);
    if (name == "RMW" || name == "ATOMIC") return {identity, pair};
    if (name == "SECTION") return {identity & ~pair, 0};
    if (name == "FW") return {one(kWrite) | other, 0};
    const auto tagged = [&](const std::vector<std::string>& tags, size_t event) {
      return std::find(tags.begin(), tags.end(), name) != tags.end() ? one(event) : 0;
    };
    const Pairs sure = tagged(instruction.tags, kRead) | tagged(instruction.write_tags, kWrite);
    return {(identity & ~pair) | sure, sure};
  }
  const Pairs behind = bit(kRead, kLater) | bit(kWrite, kLater);
  const Pairs po = bit(kEarlier, kRead) | bit(kEarlier, kWrite) | bit(kEarlier, kLater) | behind;
  const Pairs rmw = bit(kRead, kWrite), inside = (symmetric(po | rmw) | identity);
  if (name == "id") return exactly(identity);
  if (name == "po") return exactly(po);
  if (name == "int") return exactly(inside);
  if (name == "ext") return exactly(everything & ~inside);
  if (name == "loc") return exactly(everything);
  if (name == "rmw") return exactly(rmw);
  if (name == "atomic") return exactly(symmetric(rmw));
  if (name == "addr" || name == "data" || name == "ctrl") return {po, 0};
  if (name == "rf") {
    const Pairs sure = reads_it ? bit(kWrite, kLater) : bit(kOverwriting, kLater);
    return {sure | bit(kOverwriting, kEarlier), sure};
  }
  if (name == "co") return exactly(reads_it ? 0 : bit(kWrite, kOverwriting));
  if (name == "fr") {
    const Pairs sure = bit(kRead, kWrite) | (reads_it ? 0 : bit(kRead, kOverwriting));
    return {sure | bit(kEarlier, kWrite) | bit(kEarlier, kOverwriting), sure};
  }
  return {everything, 0};
}

}  // namespace

Scene scene_around(const Instruction& instruction, bool reads_it) {
  return {reads_it ? size_t{4} : size_t{5},
          [&instruction, reads_it](const Term& term) { return known_around(instruction, reads_it, term); }};
}

Scene scene_of(const RmwScene& facts) {
  return {facts.known(), [facts](const Term& term) { return known(facts, term); }};
}

}  // namespace fenceline::sat
