// SPDX-License-Identifier: GPL-3.0-or-later
//
// Successors in the deferral-queue machine for one worker of the search. The next steps of a thread depend on
// its local state and the value that it reads, and on nothing else; so they are computed once (`Known`) and
// then looked up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/deferral_queue/queue_system.h"

namespace fenceline::machine {

class QueueWorker final : public TransitionSystem {
 public:
  explicit QueueWorker(const QueueSystem& system);

  void initial(StateSink& sink) override;
  void successors(PackedState packed, StateSink& sink) override;

  // Deadlocks are not looked for on this machine.
  bool excused(PackedState) override { return true; }

  void record_paths(bool on) override { recording_ = on; }
  const std::vector<TraceStep>& path() const override { return path_; }
  const std::vector<ViolatedOrdering>& violated_orderings() const override { return violated_orderings_; }
  PackedState representative(PackedState packed) override;

 private:
  struct GlobalState {
    uint32_t history = 0;
    uint32_t pending = 0;  // the thread whose guess, if correct, leaves the language
    std::vector<Value> memory;
    std::vector<uint32_t> locals;
  };
  // What becomes of a thread that takes a choice.
  struct Outcome {
    std::optional<Value> written;
    std::vector<uint32_t> next;
    std::vector<std::vector<TraceStep>> paths;  // of each, if recorded
    std::vector<TraceStep> error_path;
    bool error = false, overflow = false, full = false;
  };
  // A local state with what was worked out about it.
  struct Known {
    queue::LocalState state;
    bool ended = false;
    bool guesses = false;
    std::vector<queue::Stamp> stamps;
    std::vector<queue::Choice> choices;
    std::vector<std::vector<std::pair<Value, Outcome>>> outcomes;  // by choice: by the value in memory
    std::vector<uint32_t> counterparts;                            // by permutation
  };
  class Collector;

  static constexpr uint32_t kNoThread = ~uint32_t{0};

  const queue::ThreadRules& rules(size_t t) const { return system_.rules_[t]; }
  bool symmetric() const { return system_.symmetry_ != nullptr; }
  queue::ThreadSymmetry& symmetry() const { return *system_.symmetry_; }

  Known& at(size_t t, uint32_t number) {
    std::vector<std::unique_ptr<Known>>& all = known_[t];
    if (number >= all.size()) all.resize(std::max<size_t>(number + 1, 2 * all.size()));
    if (all[number] == nullptr) all[number] = examine(t, number);
    return *all[number];
  }
  std::unique_ptr<Known> examine(size_t t, uint32_t number) const;

  // Steps.
  void start(size_t t, Outcome& outcome);
  void combine_starts(const std::vector<Outcome>& starts, size_t t, const std::vector<TraceStep>& so_far,
                      StateSink& sink);
  void report(const Outcome& outcome, StateSink& sink);
  void choose(size_t t, size_t c, StateSink& sink);
  static TraceStep first_step(const Outcome& outcome);
  bool advance_history(size_t t, const queue::Choice& choice);
  const Outcome& outcome_of(size_t t, size_t c);
  void work_out(size_t t, const Known& known, const queue::Choice& choice, const std::vector<Value>& memory,
                Outcome& outcome);
  void emit(size_t mover, const queue::Choice& choice, const Outcome& outcome, uint32_t next,
            StateSink& sink);
  void publish(const GlobalState& global, StateSink& sink);

  // Timestamps. for_each_stamp() calls f(value, grows) for each that the local state holds.
  using StampVisitor = std::function<void(Value& value, bool grows)>;
  void for_each_stamp(size_t t, queue::LocalState& state, const StampVisitor& f) const;
  void collect_stamps(const GlobalState& global, std::vector<queue::Stamp>& all);
  void emit_renamed(StateSink& sink);
  void rename_stamps(GlobalState& global);
  uint32_t renamed(size_t t, uint32_t number);
  uint32_t with_renamed_stamps(size_t t, const Known& known);

  // Symmetry (queue_worker_symmetry.cpp).
  using CounterpartOf = std::function<uint32_t(size_t permutation, size_t thread)>;
  PackedState canonical(const GlobalState& global);
  void count_orbit(const GlobalState& global);
  int compare_locations(const GlobalState& global, size_t permutation, size_t other);
  PackedState pack_permuted(const GlobalState& global, size_t permutation);
  const std::vector<Value>& permuted_memory(const GlobalState& global, size_t permutation);
  uint32_t counterpart(size_t permutation, size_t t, uint32_t local);
  uint32_t history_counterpart(size_t permutation, uint32_t history);
  void relate_starts(const std::vector<Outcome>& starts);
  void relate_histories(const HistoryStep& step, uint32_t next);
  void work_out_counterparts(size_t t, size_t c, const Outcome& outcome);
  void relate(size_t t, uint32_t local, const CounterpartOf& counterpart_of);
  bool look_alike(size_t permutation, const Known& x, const Known& y) const;

  // Packing.
  PackedState pack(const GlobalState& global);
  void unpack(PackedState packed, GlobalState& global) const;
  StateView view();

  const QueueSystem& system_;
  const Program& program_;
  size_t threads_;
  std::vector<std::vector<std::unique_ptr<Known>>> known_;          // by thread, by local state
  std::vector<std::unordered_map<std::string, uint32_t>> renamed_;  // by thread
  std::vector<std::vector<uint32_t>> histories_;  // by permutation: counterparts that are known

  GlobalState state_;                // being expanded, and its successors in turn
  GlobalState successor_;            // with other timestamps
  GlobalState permuted_, original_;  // with the threads permuted, and the state to be permuted

  std::vector<queue::Stamp> before_, now_;  // the timestamps of the state being expanded and of a successor
  queue::StampRules::Renaming renaming_;
  std::vector<Value> permuted_memory_;
  std::vector<uint8_t> least_;  // a packed state
  std::vector<uint32_t> locations_;
  std::vector<Value> registers_;
  std::string bytes_;
  bool recording_ = false;
  std::vector<TraceStep> path_;
  std::vector<ViolatedOrdering> violated_orderings_;
};

}  // namespace fenceline::machine
