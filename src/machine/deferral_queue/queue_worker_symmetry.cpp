// SPDX-License-Identifier: GPL-3.0-or-later
//
// Permutations of the threads (symmetry.h): the canonical state of an orbit, and counterparts of local states and
// of histories.
#include <algorithm>
#include <set>

#include "env/errors.h"
#include "machine/deferral_queue/queue_worker.h"

namespace fenceline::machine {

using queue::Choice;
using queue::ThreadSymmetry;

void QueueWorker::publish(const GlobalState& global, StateSink& sink) {
  sink.state(recording_ ? pack(global) : canonical(global));
}

// A state represents its orbit: all states that are the same up to a permutation of the threads. The canonical
// one has its threads in the order of their locations and, among several such states, the least packed bytes.
PackedState QueueWorker::canonical(const GlobalState& global) {
  if (!symmetric()) return pack(global);
  size_t first = 0;
  for (size_t permutation = 1; permutation < symmetry().size(); ++permutation)
    if (compare_locations(global, permutation, first) < 0) first = permutation;
  PackedState least;
  for (size_t permutation = first; permutation < symmetry().size(); ++permutation) {
    if (compare_locations(global, permutation, first) != 0) continue;
    const PackedState packed = permutation == 0 ? pack(global) : pack_permuted(global, permutation);
    if (!least.empty() && !std::ranges::lexicographical_compare(packed, least)) continue;
    least_.assign(packed.begin(), packed.end());
    least_.resize(packed.size() + kBitSlack);
    least = PackedState(least_.data(), packed.size());
  }
  return least;
}

// Adds the size of the orbit of the state.
void QueueWorker::count_orbit(const GlobalState& global) {
  std::set<std::vector<uint8_t>> all;
  for (size_t permutation = 0; permutation < symmetry().size(); ++permutation) {
    const PackedState packed = permutation == 0 ? pack(global) : pack_permuted(global, permutation);
    all.emplace(packed.begin(), packed.end());
  }
  symmetry().states += all.size();
}

// Compares the locations of the threads under two permutations.
int QueueWorker::compare_locations(const GlobalState& global, size_t permutation, size_t other) {
  if (permutation == other) return 0;
  for (size_t t = 0; t < threads_; ++t) {
    const size_t x = symmetry()[permutation].original[t], y = symmetry()[other].original[t];
    const uint32_t at_x = at(x, global.locals[x]).state.location,
                   at_y = at(y, global.locals[y]).state.location;
    if (at_x != at_y) return at_x < at_y ? -1 : 1;
  }
  return 0;
}

PackedState QueueWorker::pack_permuted(const GlobalState& global, size_t permutation) {
  const queue::ThreadPermutation& names = symmetry()[permutation];
  permuted_.history = history_counterpart(permutation, global.history);
  permuted_.pending = global.pending == kNoThread ? kNoThread : names.thread[global.pending];
  permuted_.memory = permuted_memory(global, permutation);
  permuted_.locals.resize(threads_);
  for (size_t t = 0; t < threads_; ++t)
    permuted_.locals[names.thread[t]] = counterpart(permutation, t, global.locals[t]);
  if (system_.stamps_.any()) {  // they are named in the order of the threads
    collect_stamps(permuted_, now_);
    require(system_.stamps_.rename(now_, now_, renaming_),
            "a permutation of the threads makes new timestamps");
    if (!renaming_.identity) rename_stamps(permuted_);
  }
  return pack(permuted_);
}

const std::vector<Value>& QueueWorker::permuted_memory(const GlobalState& global, size_t permutation) {
  permuted_memory_.resize(global.memory.size());
  for (uint32_t cell = 0; cell < global.memory.size(); ++cell)
    permuted_memory_[symmetry()[permutation].cell[cell]] =
        symmetry().value(permutation, cell, global.memory[cell]);
  return permuted_memory_;
}

uint32_t QueueWorker::counterpart(size_t permutation, size_t t, uint32_t local) {
  std::vector<uint32_t>& counterparts = at(t, local).counterparts;
  if (counterparts.empty()) counterparts.resize(symmetry().size(), ThreadSymmetry::kNone);
  if (counterparts[permutation] == ThreadSymmetry::kNone)
    counterparts[permutation] = symmetry().counterpart(permutation, t, local);
  require(counterparts[permutation] != ThreadSymmetry::kNone, "a local state has no counterpart");
  return counterparts[permutation];
}

uint32_t QueueWorker::history_counterpart(size_t permutation, uint32_t history) {
  std::vector<uint32_t>& known = histories_[permutation];
  if (history >= known.size())
    known.resize(std::max<size_t>(history + 1, 2 * known.size()), ThreadSymmetry::kNone);
  if (known[history] == ThreadSymmetry::kNone) known[history] = symmetry().history(permutation, history);
  return known[history];
}

void QueueWorker::relate_starts(const std::vector<Outcome>& starts) {
  for (size_t t = 0; t < threads_; ++t)
    for (size_t i = 0; i < starts[t].next.size(); ++i)
      relate(t, starts[t].next[i], [&](size_t, size_t u) {
        if (starts[u].next.size() != starts[t].next.size())
          throw queue::NotSymmetric("threads begin differently");
        return starts[u].next[i];
      });
  symmetry().set_histories(std::vector<uint32_t>(symmetry().size(), state_.history));
}

// The history advances from that of the current state to `next`.
void QueueWorker::relate_histories(const HistoryStep& step, uint32_t next) {
  if (history_counterpart(symmetry().size() - 1, next) != ThreadSymmetry::kNone) return;
  std::vector<uint32_t> all;
  for (size_t permutation = 0; permutation < symmetry().size(); ++permutation) {
    HistoryStep permuted = step;
    permuted.thread = symmetry()[permutation].thread[step.thread];
    const uint32_t before = history_counterpart(permutation, state_.history);
    all.push_back(system_.language_->next(before, system_.language_->alphabet().letter(permuted)));
    require(all.back() != HistoryLanguage::kRejected,
            "whether a history is accepted depends on the names of threads");
  }
  symmetry().set_histories(all);
}

// Takes the choice under every permutation of the threads as well, and checks that it has the same outcome.
void QueueWorker::work_out_counterparts(size_t t, size_t c, const Outcome& outcome) {
  const uint32_t cell = at(t, state_.locals[t]).choices[c].cell;
  std::vector<Outcome> all(symmetry().size());
  for (size_t permutation = 1; permutation < symmetry().size(); ++permutation) {
    const size_t u = symmetry()[permutation].thread[t];
    const Known& other = at(u, counterpart(permutation, t, state_.locals[t]));
    Outcome& permuted = all[permutation];
    work_out(u, other, other.choices[c], permuted_memory(state_, permutation), permuted);
    std::optional<Value> written = outcome.written;
    if (written) written = symmetry().value(permutation, cell, *written);
    if (permuted.written != written || permuted.error != outcome.error ||
        permuted.overflow != outcome.overflow || permuted.full != outcome.full ||
        permuted.next.size() != outcome.next.size())
      throw queue::NotSymmetric("the same step of two threads does different things");
  }
  for (size_t i = 0; i < outcome.next.size(); ++i)
    relate(t, outcome.next[i], [&](size_t permutation, size_t) { return all[permutation].next[i]; });
}

// counterpart_of(permutation, u) is the local state of thread u that corresponds to `local`. The two must look
// alike here; that their successors correspond is checked when these are worked out.
void QueueWorker::relate(size_t t, uint32_t local, const CounterpartOf& counterpart_of) {
  std::vector<uint32_t> all{local};
  for (size_t permutation = 1; permutation < symmetry().size(); ++permutation) {
    const size_t u = symmetry()[permutation].thread[t];
    all.push_back(counterpart_of(permutation, u));
    if (!look_alike(permutation, at(t, local), at(u, all.back())))
      throw queue::NotSymmetric("two threads can do different things at the same location");
  }
  symmetry().set_counterparts(t, all);
}

bool QueueWorker::look_alike(size_t permutation, const Known& x, const Known& y) const {
  const auto same = [&](const Choice& own, const Choice& other) {
    return own.kind == other.kind && own.entry == other.entry && own.access == other.access &&
           own.forwarded == other.forwarded && own.from == other.from && own.history == other.history &&
           (own.kind != Choice::kAccess || symmetry()[permutation].cell[own.cell] == other.cell) &&
           (!own.history || !has_variable(*own.history) ||
            system_.variables_[own.cell] == system_.variables_[other.cell]);
  };
  return x.state.location == y.state.location && x.ended == y.ended && x.guesses == y.guesses &&
         x.stamps == y.stamps &&
         std::equal(x.choices.begin(), x.choices.end(), y.choices.begin(), y.choices.end(), same);
}

}  // namespace fenceline::machine
