// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which orders between the accesses of a thread does a model certainly preserve? The answers come from the
// terms of the model alone, so they hold for models that users write.
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "ir/instruction.h"
#include "model/cat/relational.h"

namespace fenceline::sat {

// True if the model certainly forbids every cycle of control dependencies from loads to stores and of rf: a
// write, a read of it in another thread, and a later write that depends on that read are evaluated among any
// other events; the two writes must be ordered in a relation that is acyclic.
bool keeps_control_dependencies(const CatModel& model);

// True if the model certainly forbids that a load reads a later store of its own thread.
bool forbids_reading_the_future(const CatModel& model);

// True if the model certainly forbids that a load reads an earlier store of its own thread that a later one of
// the thread, to the same location, has overwritten before the load.
bool reads_own_last_write(const CatModel& model);
// The same for writes of other threads: none before the own write in coherence order is read.
bool reads_own_writes_or_later(const CatModel& model);
// True if, besides, a thread that has read another write than its own last one certainly does not read its own later.
bool reads_follow_coherence(const CatModel& model);

// True if the model certainly forbids every cycle of program order and rf: no store is visible to another thread
// before an earlier load of its own thread has its value.
bool forbids_load_buffering(const CatModel& model);

// True if the model certainly allows no execution in which the read-modify-write writes inside of an atomic section that
// has another access. Such a model does not mean what programs with such sections mean.
bool forbids_rmw_in_section(const CatModel& model, const Instruction& rmw);

// True if the model certainly orders a load with later stores behind a fence of the kind load-store, where it
// orders writes with reads of them in other threads.
bool keeps_load_store_fences(const CatModel& model);
// The same for a load and a later store to the same location.
bool keeps_load_store_locations(const CatModel& model);

// Two accesses of a thread in program order, and what is known about them.
struct AccessPair {
  enum class Dependency : int { kNone = 0, kAddr = 1, kData = 2, kCtrl = 4 };  // as bits

  const Instruction* first = nullptr;                // null: any; then no fence is between
  const Instruction* second = nullptr;               // null: any
  bool first_writes = false, second_writes = false;  // of an rmw: its write is meant
  bool same_instruction = false;        // they are the read and the write of one rmw, executed once,
  bool in_section = false;              // in an atomic section
  const Instruction* middle = nullptr;  // one in between: a fence or an access; null: none is considered
  bool middle_writes = false;
  Dependency of_second = Dependency::kNone, of_middle = Dependency::kNone;  // on the first, a read
  // Certainly. If the first writes and the second reads, no write to that location is between them.
  bool ends_alias = false, middle_and_second_alias = false;
  bool second_reads_middle = false;  // which is a write, of the same location

  friend auto operator<=>(const AccessPair&, const AccessPair&) = default;
};

// By constraint of the model: does it certainly order writes before the reads of them in other threads?
std::vector<bool> orders_external_reads(const CatModel& model);

// The pairs that a model orders. The answers are kept; all that counts of an instruction are its kind, its tags and what it
// is a fence for, so programs have few different pairs. Instructions must live as long as this.
class PreservedOrder {
 public:
  explicit PreservedOrder(const CatModel& model);

  // By constraint of the model: does it certainly order the first before the second, and writes before the reads of them
  // in other threads?
  const std::vector<bool>& orders(AccessPair pair);

 private:
  const Instruction* representative(const Instruction* instruction);
  std::vector<bool> decide(const AccessPair& pair) const;

  const CatModel& model_;
  // By constraint, or of the model: see the functions of these names.
  std::vector<bool> external_reads_, external_coherence_;
  bool own_writes_by_coherence_, what_is_read_by_coherence_, what_rmw_reads_by_coherence_,
      what_rmw_in_section_reads_by_coherence_, own_writes_or_later_;
  std::map<const Instruction*, const Instruction*> representatives_;
  std::map<AccessPair, std::vector<bool>> known_;
};

}  // namespace fenceline::sat
