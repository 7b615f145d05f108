// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/property/history_oracle.h"

#include <algorithm>
#include <set>

namespace fenceline::property {
namespace {

bool finishes(const HistoryStep& step) {
  return step.op == HistoryOp::kCommit || step.op == HistoryOp::kAbort;
}

// The status of a thread's transaction at the end of a history.
struct Open {
  bool started = false;
  bool loading = false;  // the last operation is a load
  bool rolled_back = false;
  std::set<uint32_t> stored;  // and not rolled back
};

Open open_transaction(const History& history, uint32_t thread) {
  Open open;
  for (const HistoryStep& step : history) {
    if (step.thread != thread) continue;
    if (finishes(step)) {
      open = {};
      continue;
    }
    open.started = true;
    open.loading = step.op == HistoryOp::kLoad;
    if (step.op == HistoryOp::kStore) open.stored.insert(step.variable);
    if (step.op == HistoryOp::kRollback) {
      open.stored.erase(step.variable);
      open.rolled_back = true;
    }
  }
  return open;
}

// What may follow what in a thread: rfin a load and nothing else; a load only rfin, rollback, abort; a
// rollback only rollbacks and abort. Rollbacks are of what was stored, aborts of what has nothing stored.
bool grammatical(const History& history) {
  History before;
  for (const HistoryStep& step : history) {
    const Open open = open_transaction(before, step.thread);
    before.push_back(step);
    switch (step.op) {
      case HistoryOp::kLoad:
      case HistoryOp::kStore:
      case HistoryOp::kCommit:
        if (open.loading || open.rolled_back) return false;
        break;
      case HistoryOp::kRfin:
        if (!open.loading) return false;
        break;
      case HistoryOp::kRollback:
        if (!open.stored.contains(step.variable)) return false;
        break;
      case HistoryOp::kAbort:
        if (!open.stored.empty()) return false;
        break;
    }
  }
  return true;
}

struct Transaction {
  size_t first = 0, last = 0;
  bool committed = false;
};

// The number of the operation's transaction, and the transactions.
std::vector<Transaction> transactions(const History& history, std::vector<size_t>& transaction_of) {
  std::vector<Transaction> found;
  transaction_of.assign(history.size(), 0);
  for (size_t i = 0; i < history.size(); ++i) {
    size_t previous = i;
    while (previous > 0 && history[previous - 1].thread != history[i].thread) --previous;
    if (previous == 0 || finishes(history[previous - 1])) {
      transaction_of[i] = found.size();
      found.push_back({i, i, false});
    } else {
      transaction_of[i] = transaction_of[previous - 1];
    }
    found[transaction_of[i]].last = i;
    found[transaction_of[i]].committed = history[i].op == HistoryOp::kCommit;
  }
  return found;
}

// In the first `length` operations.
bool is_used_load(const History& history, size_t i, size_t length) {
  if (history[i].op != HistoryOp::kLoad) return false;
  for (size_t j = i + 1; j < length; ++j)
    if (history[j].thread == history[i].thread) return history[j].op == HistoryOp::kRfin;
  return false;
}
bool is_final_store(const History& history, const std::vector<size_t>& transaction_of, size_t i,
                    size_t length) {
  if (history[i].op != HistoryOp::kStore) return false;
  for (size_t j = i + 1; j < length; ++j)
    if (transaction_of[j] == transaction_of[i] && history[j].op == HistoryOp::kRollback &&
        history[j].variable == history[i].variable)
      return false;
  return true;
}

}  // namespace

bool HistoryOracle::serial_order_exists(const std::vector<std::vector<bool>>& before,
                                        std::vector<bool>& placed) const {
  bool all = true;
  for (size_t x = 0; x < placed.size(); ++x) {
    if (placed[x]) continue;
    all = false;
    bool possible = true;
    for (size_t y = 0; y < placed.size(); ++y) possible = possible && (placed[y] || !before[y][x]);
    if (!possible) continue;
    placed[x] = true;
    if (serial_order_exists(before, placed)) return true;
    placed[x] = false;
  }
  return all;
}

bool HistoryOracle::finished_is_correct(const History& history) const {
  const bool strict = property_ == PropertyKind::kStrictSerializability;
  std::vector<size_t> transaction_of;
  const std::vector<Transaction> all = transactions(history, transaction_of);
  const size_t length = history.size();
  const auto counts = [&](size_t i) { return !strict || all[transaction_of[i]].committed; };

  // No store that is rolled back is followed by another thread's store or used load.
  for (size_t i = 0; i < length; ++i) {
    if (history[i].op != HistoryOp::kStore || is_final_store(history, transaction_of, i, length)) continue;
    for (size_t j = i + 1; j < length; ++j) {
      if (!has_variable(history[j].op) || history[j].variable != history[i].variable) continue;
      if (transaction_of[j] == transaction_of[i]) {
        if (history[j].op == HistoryOp::kRollback) break;
        continue;
      }
      if (history[j].op == HistoryOp::kStore) return false;
      if (is_used_load(history, j, length) && counts(j)) return false;
    }
  }

  std::vector<std::vector<bool>> before(all.size(), std::vector<bool>(all.size()));
  for (size_t x = 0; x < all.size(); ++x)
    for (size_t y = 0; y < all.size(); ++y)
      if (all[x].last < all[y].first && counts(all[x].last) && counts(all[y].last)) before[x][y] = true;
  std::vector<size_t> there;  // used loads and final stores
  for (size_t prefix = 1; prefix <= length; ++prefix) {
    there.clear();
    for (size_t i = 0; i < prefix; ++i)
      if (is_used_load(history, i, prefix) || is_final_store(history, transaction_of, i, prefix))
        there.push_back(i);
    for (const size_t j : there) {
      for (const size_t i : there) {
        if (i >= j) break;
        if (transaction_of[i] == transaction_of[j] || history[i].variable != history[j].variable) continue;
        if (history[i].op == HistoryOp::kLoad && history[j].op == HistoryOp::kLoad) continue;
        if (counts(i) && counts(j)) before[transaction_of[i]][transaction_of[j]] = true;
      }
    }
  }
  std::vector<bool> placed(all.size());  // those that do not count need no position
  for (size_t x = 0; x < all.size(); ++x) placed[x] = !counts(all[x].last);
  return serial_order_exists(before, placed);
}

bool HistoryOracle::correct(const History& history) const {
  if (!grammatical(history)) return false;
  std::vector<Open> open;
  for (uint32_t t = 0; t < threads_; ++t) open.push_back(open_transaction(history, t));
  for (unsigned committing = 0; committing < 1U << threads_; ++committing) {
    bool possible = true;
    for (uint32_t t = 0; t < threads_; ++t)
      if ((committing >> t & 1) != 0 && (!open[t].started || open[t].rolled_back)) possible = false;
    if (!possible) continue;
    History finished = history;
    for (uint32_t t = 0; t < threads_; ++t) {
      if ((committing >> t & 1) != 0 || !open[t].started) continue;
      for (const uint32_t v : open[t].stored) finished.push_back({HistoryOp::kRollback, t, v});
      finished.push_back({HistoryOp::kAbort, t, 0});
    }
    for (uint32_t t = 0; t < threads_; ++t) {
      if ((committing >> t & 1) == 0) continue;
      if (open[t].loading) finished.push_back({HistoryOp::kRfin, t, 0});
      finished.push_back({HistoryOp::kCommit, t, 0});
    }
    if (finished_is_correct(finished)) return true;
  }
  return false;
}

bool HistoryOracle::correct_somehow(const History& history) const {
  if (!grammatical(history)) return false;
  bool finished = true;
  for (uint32_t t = 0; t < threads_; ++t) {
    const Open open = open_transaction(history, t);
    if (!open.started) continue;
    finished = false;
    std::vector<HistoryStep> further = {
        {HistoryOp::kRfin, t, 0}, {HistoryOp::kCommit, t, 0}, {HistoryOp::kAbort, t, 0}};
    for (const uint32_t v : open.stored) further.push_back({HistoryOp::kRollback, t, v});
    for (const HistoryStep& step : further) {
      History longer = history;
      longer.push_back(step);
      if (correct_somehow(longer)) return true;
    }
  }
  return finished && finished_is_correct(history);
}

void for_each_history(const HistoryAlphabet& alphabet, size_t length,
                      const std::function<bool(const History&, uint64_t like_it)>& f) {
  const auto choices = [](uint32_t of, uint32_t used) {
    uint64_t count = 1;
    for (uint32_t i = 0; i < used; ++i) count *= of - i;
    return count;
  };
  History history;
  const std::function<void(uint32_t, uint32_t)> extend = [&](uint32_t threads, uint32_t variables) {
    if (history.size() == length) return;
    for (uint32_t letter = 0; letter < alphabet.letters(); ++letter) {
      const HistoryStep step = alphabet.step(letter);
      if (step.thread > threads || (has_variable(step.op) && step.variable > variables)) continue;
      const uint32_t more_threads = std::max(threads, step.thread + 1);
      const uint32_t more_variables =
          has_variable(step.op) ? std::max(variables, step.variable + 1) : variables;
      history.push_back(step);
      if (f(history, choices(alphabet.threads, more_threads) * choices(alphabet.variables, more_variables)))
        extend(more_threads, more_variables);
      history.pop_back();
    }
  };
  extend(0, 0);
}

}  // namespace fenceline::property
