// SPDX-License-Identifier: GPL-3.0-or-later
//
// A history can be bad for three reasons. Some operation is not allowed where it occurs (a commit with a load
// that is not used, a rollback of what was not stored, ...). Or a transaction can neither commit nor abort:
// another one depends on its store, and it has rolled something back. Or there is no serial order: the
// transactions that cannot be left out are in a cycle of "comes before".
//
// What cannot be left out: under opacity every transaction, with its used loads and with the stores it had
// not rolled back by then; under strict serializability those that have committed or must commit. Loads that
// are not used yet count if their transaction must commit. A transaction that need not commit is taken to roll back and
// abort before any such load is used, which orders the least.
#include "check/replay/history_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "env/errors.h"

namespace fenceline::check {
namespace {

constexpr size_t kNever = ~size_t{0};

struct Transaction {
  uint32_t thread = 0;
  size_t number = 0;  // among those of its thread, from 0
  size_t first = 0, last = 0;
  bool committed = false, aborted = false;
  size_t rolled_back = kNever;  // the first rollback
  // It must commit since the operation `because` of another one has used or overwritten its store.
  bool must_commit = false;
  size_t store = kNever, because = kNever;

  bool unfinished() const { return !committed && !aborted; }
};

struct Edge {
  size_t from = 0, to = 0;        // transactions
  size_t earlier = 0, later = 0;  // operations
  bool conflict = false;          // or: the one ends before the other begins
};

class HistoryReading {
 public:
  HistoryReading(std::span<const HistoryStep> history, PropertyKind property)
      : history_(history), opacity_(property == PropertyKind::kOpacity) {}

  HistoryCheck check() {
    if (std::optional<HistoryCheck> found = misplaced_operation()) return *found;
    find_uses();
    find_who_must_commit();
    if (std::optional<HistoryCheck> found = broken_promise()) return *found;
    find_edges();
    return cycle();
  }

 private:
  std::optional<HistoryCheck> misplaced_operation();
  void find_uses();
  void find_who_must_commit();
  std::optional<HistoryCheck> broken_promise() const;
  void find_edges();
  HistoryCheck cycle() const;

  const HistoryStep& step(size_t i) const { return history_[i]; }
  bool is_load(size_t i) const { return step(i).op == HistoryOp::kLoad; }
  bool is_store(size_t i) const { return step(i).op == HistoryOp::kStore; }
  Transaction& transaction(size_t i) { return transactions_[of_[i]]; }
  const Transaction& transaction(size_t i) const { return transactions_[of_[i]]; }
  bool same_variable_other_transaction(size_t i, size_t j) const {
    return of_[i] != of_[j] && step(i).variable == step(j).variable;
  }
  // Is it in every serial order?
  bool counts(const Transaction& one) const { return opacity_ || one.committed || one.must_commit; }
  bool load_counts(size_t i) const {
    return transaction(i).must_commit || (opacity_ ? used_[i] != kNever : transaction(i).committed);
  }
  // The conflict orders the transactions if it holds after some prefix: from then on ...
  size_t begin_of(size_t i) const { return is_store(i) ? i : std::min(used_[i], history_.size()); }
  // ... and not from then on.
  size_t end_of(size_t i) const {
    if (is_load(i)) return kNever;
    if (rolled_back_[i] != kNever) return rolled_back_[i];
    return transaction(i).committed || transaction(i).must_commit ? kNever : history_.size();
  }

  std::string name(const Transaction& one) const;
  std::string name(size_t i) const { return name(transaction(i)); }
  std::string variable(size_t i) const { return fmt::format("v{}", step(i).variable + 1); }
  std::string text(const Edge& edge) const;
  std::string promise(const Transaction& one) const;

  std::span<const HistoryStep> history_;
  bool opacity_;
  std::vector<Transaction> transactions_;
  std::vector<size_t> of_;           // the transaction of each operation
  std::vector<size_t> used_;         // of each load: where its rfin is
  std::vector<size_t> rolled_back_;  // of each store: where its rollback is
  std::vector<std::vector<std::optional<Edge>>> edges_;
};

// Also divides the history into transactions.
std::optional<HistoryCheck> HistoryReading::misplaced_operation() {
  struct Thread {
    size_t transaction = kNever, transactions = 0, load = kNever;
    std::map<uint32_t, size_t> stored;  // and not rolled back: where
  };
  std::map<uint32_t, Thread> threads;
  for (size_t i = 0; i < history_.size(); ++i) {
    const HistoryStep& now = step(i);
    Thread& thread = threads[now.thread];
    if (thread.transaction == kNever) {
      thread.transaction = transactions_.size();
      transactions_.push_back({.thread = now.thread, .number = thread.transactions++, .first = i});
    }
    of_.push_back(thread.transaction);
    Transaction& current = transactions_[of_[i]];
    current.last = i;

    const auto malformed = [&](size_t before, const std::string& why) -> std::optional<HistoryCheck> {
      return HistoryCheck{true, fmt::format("{} is not possible there: {}", to_string(now), why),
                          before == kNever ? std::vector{i} : std::vector{before, i}};
    };
    const bool goes_on =
        now.op == HistoryOp::kLoad || now.op == HistoryOp::kStore || now.op == HistoryOp::kCommit;
    if (goes_on && thread.load != kNever)
      return malformed(thread.load, fmt::format("what t{} has loaded from {} is not used yet", now.thread + 1,
                                                variable(thread.load)));
    if (goes_on && current.rolled_back != kNever)
      return malformed(current.rolled_back, "after a rollback the transaction can only abort");
    switch (now.op) {
      case HistoryOp::kLoad:
        thread.load = i;
        break;
      case HistoryOp::kStore:
        thread.stored[now.variable] = i;
        break;
      case HistoryOp::kRfin:
        if (thread.load == kNever) return malformed(kNever, "there is no load that it could finish");
        thread.load = kNever;
        break;
      case HistoryOp::kRollback:
        if (thread.stored.erase(now.variable) == 0)
          return malformed(kNever, "there is no store that it could undo");
        if (current.rolled_back == kNever) current.rolled_back = i;
        thread.load = kNever;
        break;
      case HistoryOp::kAbort:
        if (!thread.stored.empty())
          return malformed(
              thread.stored.begin()->second,
              fmt::format("its store to {} is not rolled back", variable(thread.stored.begin()->second)));
        [[fallthrough]];
      case HistoryOp::kCommit:
        (now.op == HistoryOp::kCommit ? current.committed : current.aborted) = true;
        thread.transaction = thread.load = kNever;
        thread.stored.clear();
        break;
    }
  }
  return std::nullopt;
}

void HistoryReading::find_uses() {
  used_.assign(history_.size(), kNever);
  rolled_back_.assign(history_.size(), kNever);
  for (size_t i = 0; i < history_.size(); ++i) {
    for (size_t j = i + 1; j < history_.size(); ++j) {
      if (of_[j] != of_[i]) continue;
      if (is_load(i)) {
        if (step(j).op == HistoryOp::kRfin) used_[i] = j;
        break;
      }
      if (is_store(i) && step(j).op == HistoryOp::kRollback && step(j).variable == step(i).variable)
        rolled_back_[i] = j;
    }
  }
}

// Whose store was overwritten, or loaded by a load that counts, cannot take it back.
void HistoryReading::find_who_must_commit() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < history_.size(); ++i) {
      Transaction& one = transaction(i);
      if (!is_store(i) || rolled_back_[i] != kNever || !one.unfinished() || one.must_commit) continue;
      for (size_t j = i + 1; j < history_.size() && !one.must_commit; ++j) {
        if (!(is_store(j) || (is_load(j) && load_counts(j))) || !same_variable_other_transaction(i, j))
          continue;
        one.must_commit = changed = true;
        one.store = i;
        one.because = j;
      }
    }
  }
}

// Does a transaction roll back although others depend on it?
std::optional<HistoryCheck> HistoryReading::broken_promise() const {
  for (const Transaction& one : transactions_) {
    if (one.must_commit && one.rolled_back != kNever)
      return HistoryCheck{
          true,
          fmt::format("{}, but it has rolled back its store to {}", promise(one), variable(one.rolled_back)),
          {one.store, one.because, one.rolled_back}};
  }
  for (size_t i = 0; i < history_.size(); ++i) {
    if (!is_store(i) || rolled_back_[i] == kNever) continue;
    for (size_t j = i + 1; j < rolled_back_[i]; ++j) {
      if (!(is_store(j) || (is_load(j) && load_counts(j))) || !same_variable_other_transaction(i, j))
        continue;
      const std::string obligation =
          is_load(j) && transaction(j).must_commit ? fmt::format("; {}", promise(transaction(j))) : "";
      return HistoryCheck{
          true,
          fmt::format("{} rolls back its store to {}, which {} has {}{}", name(i), variable(i), name(j),
                      is_store(j) ? "overwritten" : "loaded", obligation),
          {i, j, rolled_back_[i]}};
    }
  }
  return std::nullopt;
}

void HistoryReading::find_edges() {
  edges_.assign(transactions_.size(), std::vector<std::optional<Edge>>(transactions_.size()));
  for (size_t j = 0; j < history_.size(); ++j) {
    for (size_t i = 0; i < j; ++i) {
      if (!is_store(i) && !is_store(j)) continue;
      if (!(is_store(i) || is_load(i)) || !(is_store(j) || is_load(j))) continue;
      if (!same_variable_other_transaction(i, j)) continue;
      if (!counts(transaction(i)) || !counts(transaction(j))) continue;
      if ((is_load(i) && !load_counts(i)) || (is_load(j) && !load_counts(j))) continue;
      if (std::max(begin_of(i), begin_of(j)) >= std::min(end_of(i), end_of(j))) continue;
      std::optional<Edge>& edge = edges_[of_[i]][of_[j]];
      if (!edge) edge = Edge{of_[i], of_[j], i, j, true};
    }
  }
  for (size_t x = 0; x < transactions_.size(); ++x) {
    for (size_t y = 0; y < transactions_.size(); ++y) {
      const Transaction &one = transactions_[x], &other = transactions_[y];
      if (one.unfinished() || one.last >= other.first || !counts(one) || !counts(other)) continue;
      if (!edges_[x][y]) edges_[x][y] = Edge{x, y, one.last, other.first, false};
    }
  }
}

// A shortest one, breadth first from every transaction.
HistoryCheck HistoryReading::cycle() const {
  std::vector<Edge> shortest;
  for (size_t start = 0; start < transactions_.size(); ++start) {
    std::vector<size_t> queue = {start}, from(transactions_.size(), kNever);
    for (size_t i = 0; i < queue.size() && from[start] == kNever; ++i) {
      for (size_t to = 0; to < transactions_.size(); ++to) {
        if (!edges_[queue[i]][to] || from[to] != kNever) continue;
        from[to] = queue[i];
        queue.push_back(to);
      }
    }
    if (from[start] == kNever) continue;
    std::vector<Edge> found;
    size_t at = start;
    do {
      found.push_back(*edges_[from[at]][at]);
      at = from[at];
    } while (at != start);
    std::ranges::reverse(found);
    if (shortest.empty() || found.size() < shortest.size()) shortest = std::move(found);
  }
  if (shortest.empty()) return {};

  HistoryCheck result{true, "", {}};
  for (size_t i = 0; i < shortest.size(); ++i) {
    result.why += fmt::format("{}{}",
                              i == 0                     ? ""
                              : i + 1 == shortest.size() ? ", and "
                                                         : ", ",
                              text(shortest[i]));
    result.operations.push_back(shortest[i].earlier);
    result.operations.push_back(shortest[i].later);
  }
  // Why they cannot be left out, if it is not obvious.
  for (const Edge& edge : shortest) {
    const Transaction& one = transactions_[edge.from];
    const bool unused = opacity_ && std::ranges::any_of(shortest, [&](const Edge& other) {
                          return (of_[other.earlier] == edge.from && is_load(other.earlier) &&
                                  used_[other.earlier] == kNever) ||
                                 (of_[other.later] == edge.from && is_load(other.later) &&
                                  used_[other.later] == kNever && other.conflict);
                        });
    if (one.must_commit && (!opacity_ || unused)) result.why += fmt::format("; {}", promise(one));
  }
  std::ranges::sort(result.operations);
  result.operations.erase(std::unique(result.operations.begin(), result.operations.end()),
                          result.operations.end());
  return result;
}

// "t1", or "the 2nd transaction of t1" if it has several.
std::string HistoryReading::name(const Transaction& one) const {
  const auto same = std::ranges::count(transactions_, one.thread, &Transaction::thread);
  if (same == 1) return fmt::format("t{}", one.thread + 1);
  constexpr std::array kEndings = {"st", "nd", "rd"};
  const size_t number = one.number + 1;
  const bool regular = number % 10 == 0 || number % 10 > 3 || (number % 100 > 10 && number % 100 < 14);
  return fmt::format("the {}{} transaction of t{}", number, regular ? "th" : kEndings[number % 10 - 1],
                     one.thread + 1);
}

std::string HistoryReading::text(const Edge& edge) const {
  const std::string from = name(transactions_[edge.from]), to = name(transactions_[edge.to]);
  if (!edge.conflict) return fmt::format("{} ends before {} begins", from, to);
  return fmt::format("{} {} {} before {} {} it", from, is_load(edge.earlier) ? "loads" : "stores",
                     variable(edge.earlier), to, is_load(edge.later) ? "loads" : "stores");
}

std::string HistoryReading::promise(const Transaction& one) const {
  return fmt::format("{} must commit since {} has {} what it stored to {}", name(one), name(one.because),
                     is_store(one.because) ? "overwritten" : "loaded", variable(one.store));
}

}  // namespace

HistoryCheck check_history(std::span<const HistoryStep> history, PropertyKind property) {
  require(looks_at_history(property), "a property that is not about histories");
  return HistoryReading(history, property).check();
}

}  // namespace fenceline::check
