// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an execution offers to a model. docs/models.md explains each name.
#include <algorithm>
#include <array>

#include "model/cat/relational.h"

namespace fenceline {
namespace {

constexpr std::array<std::string_view, 21> kSets = {
    "_",          // all events
    "R",          // reads
    "W",          // writes, the initial ones too
    "M",          // reads and writes
    "F",          // fences
    "IW",         // initial writes
    "FW",         // the last write of each location
    "RMW",        // the events of read-modify-write instructions; of one that did not write: its read
    "ATOMIC",     // the events of read-modify-write instructions and of atomic sections
    "SL",         // fences that order stores with later loads
    "SS",         // stores with stores
    "LL",         // loads with loads
    "LS",         // loads with stores
    "EVERYBODY",  // fences that wait for the stores of all threads: `sync`
    // The tags of C11 accesses and fences.
    "NA",
    "RLX",
    "CON",
    "ACQ",
    "REL",
    "ACQ_REL",
    "SC",
};

constexpr std::array<std::string_view, 16> kRelations = {
    "po",         // program order between events of different instructions of a thread
    "rf",         // from a write to the reads that get its value
    "co",         // the order in which the writes to a location reach memory; the initial one is first
    "fr",         // from a read to the writes that come after the one it read: rf^-1 ; co
    "addr",       // from a read to an access whose address depends on its value
    "data",       // from a read to a write whose value depends on it
    "ctrl",       // from a read to everything behind a branch that depends on it
    "rmw",        // from the read of a read-modify-write instruction to its write
    "loc",        // both access the same location
    "int",        // both belong to the same thread; initial writes belong to none
    "ext",        // the opposite of int
    "id",         // an event and itself
    "atomic",     // two different events of one atomic section or read-modify-write instruction
    "operation",  // two different events of one operation; without operations: of one thread
    "waited",  // from a write to the `sync` of another thread that waited for it, since it was stored before
    "observed",  // from everything a thread has done to the look at memory that ends a partial run
};

}  // namespace

BaseSort base_sort(std::string_view name) {
  if (std::find(kRelations.begin(), kRelations.end(), name) != kRelations.end()) return BaseSort::kRelation;
  if (std::find(kSets.begin(), kSets.end(), name) != kSets.end()) return BaseSort::kSet;
  return BaseSort::kNone;
}

std::vector<std::string_view> base_names() {
  std::vector<std::string_view> names(kSets.begin(), kSets.end());
  names.insert(names.end(), kRelations.begin(), kRelations.end());
  return names;
}

}  // namespace fenceline
