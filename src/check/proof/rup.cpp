// SPDX-License-Identifier: GPL-3.0-or-later
//
// Forward checking with two watched literals (Moskewicz et al. 2001) and one persistent level: what follows
// from units stays assigned for ever. To check a clause, its literals are made false, and unit propagation
// must find a conflict.
//
// A deletion makes the check of later clauses cheaper and can make it fail, but never makes an incorrect proof
// pass. So deletions may be ignored where they would be awkward: a clause that is the reason of a persistent
// assignment stays, and so does a clause that is not found.
//
// Clauses lie in one array: a header of two words (the next clause with the same hash, and the size, whose
// highest bit marks a deleted one), then the literals, the watched ones first. Deleted clauses are dropped
// by the watches when these come across them, and thrown away when they take half of the array.
#include "check/proof/rup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/hash.h"
#include "check/proof/proof_text.h"
#include "env/errors.h"

namespace fenceline::check {
namespace {

using Ref = uint32_t;  // the index of a clause's first literal
constexpr Ref kNoClause = 0;
constexpr uint32_t kHeader = 2, kDeleted = 1u << 31;
constexpr size_t kMostWords = size_t{1} << 31;  // so that a Ref can name a clause

struct Rejected {
  std::string why;
};
struct LimitHit {
  LimitReached reached;
};

class Checker {
 public:
  Checker(Limits* limits, RupCheck& result) : limits_(limits), result_(result) {}

  void load(std::span<const std::vector<int>> formula);
  void run(std::string_view proof);

 private:
  struct Watch {
    Ref clause;
    int blocker;  // some other literal of the clause: if it is true there is nothing to do
  };

  static size_t index(int literal) {
    return 2 * static_cast<size_t>(std::abs(literal)) + (literal < 0 ? 1 : 0);
  }
  int8_t value(int literal) const { return values_[index(literal)]; }
  uint32_t size(Ref clause) const { return static_cast<uint32_t>(words_[clause - 1]) & ~kDeleted; }
  bool deleted(Ref clause) const { return (static_cast<uint32_t>(words_[clause - 1]) & kDeleted) != 0; }
  int* literals(Ref clause) { return words_.data() + clause; }

  bool normalise(std::vector<int>& clause) const;
  void add(std::vector<int>& clause);
  void remove(std::vector<int>& clause);
  bool follows(const std::vector<int>& clause);
  bool propagate();  // false: a conflict
  void assign(int literal) {
    values_[index(literal)] = 1;
    values_[index(-literal)] = -1;
    trail_.push_back(literal);
  }
  void watch(int literal, Ref clause, int blocker) { watches_[index(literal)].push_back({clause, blocker}); }
  static uint64_t hash(std::span<const int> clause);
  void enter(Ref clause, uint64_t hash_value);
  void grow_table();
  void collect_garbage();
  void poll();

  Limits* limits_;
  RupCheck& result_;
  size_t variables_ = 0;
  std::vector<int8_t> values_;               // by literal: 1 true, -1 false, 0 open
  std::vector<std::vector<Watch>> watches_;  // by literal: the clauses that watch it
  std::vector<int> trail_;
  size_t head_ = 0;       // of the trail: what has been propagated
  bool refuted_ = false;  // the empty clause follows
  std::vector<int> words_ = {0};
  std::vector<Ref> table_ = std::vector<Ref>(1024);  // by hash: the first clause
  size_t clauses_ = 0, wasted_ = 0;
};

// Sorts, drops literals that are there twice. False: it is true whatever happens.
bool Checker::normalise(std::vector<int>& clause) const {
  for (const int literal : clause)
    if (literal == 0 || static_cast<size_t>(std::abs(literal)) > variables_)
      throw Rejected{fmt::format("there is no variable {}", std::abs(literal))};
  const auto by_variable = [](int a, int b) {
    return std::abs(a) != std::abs(b) ? std::abs(a) < std::abs(b) : a < b;
  };
  std::sort(clause.begin(), clause.end(), by_variable);
  clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
  return std::adjacent_find(clause.begin(), clause.end(), [](int a, int b) { return a == -b; }) ==
         clause.end();
}

void Checker::load(std::span<const std::vector<int>> formula) {
  for (const std::vector<int>& clause : formula)
    for (const int literal : clause)
      variables_ = std::max(variables_, static_cast<size_t>(std::abs(literal)));
  values_.resize(2 * variables_ + 2);
  watches_.resize(2 * variables_ + 2);
  std::vector<int> copy;
  for (const std::vector<int>& clause : formula) {
    copy = clause;
    if (normalise(copy)) add(copy);
  }
}

void Checker::run(std::string_view proof) {
  ProofReader reader(proof);
  for (std::vector<int> clause; !refuted_;) {
    const ProofReader::Line line = reader.next(clause);
    if (line == ProofReader::Line::kEnd) throw Rejected{"the empty clause is not derived"};
    ++result_.steps;
    if (line == ProofReader::Line::kMalformed)
      throw Rejected{fmt::format("line {} cannot be read", result_.steps)};
    if (result_.steps % 256 == 0) poll();
    const bool wanted = normalise(clause);  // a tautology adds nothing
    if (!wanted) continue;
    if (line == ProofReader::Line::kDelete) {
      remove(clause);
      continue;
    }
    if (!follows(clause))
      throw Rejected{fmt::format("line {} does not follow by unit propagation", result_.steps)};
    add(clause);
  }
}

// Precondition and postcondition: what is assigned is what follows from the units, all of it.
bool Checker::follows(const std::vector<int>& clause) {
  const size_t before = trail_.size();
  bool conflict = false;
  for (const int literal : clause) {
    if (value(literal) > 0) conflict = true;
    if (conflict) break;
    if (value(literal) == 0) assign(-literal);
  }
  conflict = conflict || !propagate();
  while (trail_.size() > before) {
    const int literal = trail_.back();
    trail_.pop_back();
    values_[index(literal)] = values_[index(-literal)] = 0;
  }
  head_ = before;
  return conflict;
}

// The clause follows: it is kept, and what follows from it now is assigned for ever.
void Checker::add(std::vector<int>& clause) {
  if (refuted_) return;
  if (words_.size() + clause.size() + kHeader > kMostWords) throw Rejected{"the proof is too large"};
  const uint64_t hash_value = hash(clause);
  // What is true comes first, then what is open: these are the ones to watch.
  std::stable_sort(clause.begin(), clause.end(), [&](int a, int b) { return value(a) > value(b); });
  const bool unit = !clause.empty() && value(clause[0]) == 0 && (clause.size() == 1 || value(clause[1]) < 0);
  if (clause.empty() || value(clause[0]) < 0) {
    refuted_ = true;
    return;
  }
  words_.push_back(0);
  words_.push_back(static_cast<int>(clause.size()));
  const Ref ref = static_cast<Ref>(words_.size());
  words_.insert(words_.end(), clause.begin(), clause.end());
  enter(ref, hash_value);
  if (clause.size() > 1) {
    watch(clause[0], ref, clause[1]);
    watch(clause[1], ref, clause[0]);
  }
  if (!unit) return;
  assign(clause[0]);
  if (!propagate()) refuted_ = true;
}

bool Checker::propagate() {
  while (head_ < trail_.size()) {
    const int falsified = -trail_[head_++];
    if (++result_.propagations % 4096 == 0) poll();
    std::vector<Watch>& watches = watches_[index(falsified)];
    auto kept = watches.begin();
    for (auto next = watches.begin(); next != watches.end(); ++next) {
      if (value(next->blocker) > 0) {
        *kept++ = *next;
        continue;
      }
      const Ref clause = next->clause;
      if (deleted(clause)) continue;
      int* const all = literals(clause);
      if (all[0] == falsified) std::swap(all[0], all[1]);
      const int other = all[0];
      if (other != next->blocker && value(other) > 0) {
        *kept++ = {clause, other};
        continue;
      }
      const uint32_t count = size(clause);
      uint32_t replacement = 2;
      while (replacement < count && value(all[replacement]) < 0) ++replacement;
      if (replacement < count) {
        std::swap(all[1], all[replacement]);
        watch(all[1], clause, other);  // another list: all[1] is not false
        continue;
      }
      *kept++ = {clause, other};
      if (value(other) == 0) {
        assign(other);
        continue;
      }
      watches.erase(kept, std::next(next));  // a conflict: the rest stays as it is
      return false;
    }
    watches.erase(kept, watches.end());
  }
  return true;
}

// ---- Finding clauses again

uint64_t Checker::hash(std::span<const int> clause) {
  uint64_t sum = 0;  // the same in any order
  for (const int literal : clause) sum += hash_word(index(literal));
  return sum;
}

void Checker::enter(Ref clause, uint64_t hash_value) {
  Ref& first = table_[hash_value & (table_.size() - 1)];
  words_[clause - 2] = static_cast<int>(first);
  first = clause;
  if (++clauses_ > table_.size()) grow_table();
}

void Checker::grow_table() {
  std::vector<Ref> old(table_.size() * 2);
  old.swap(table_);
  clauses_ = 0;
  for (Ref next : old)
    while (next != kNoClause) {
      const Ref clause = next;
      next = static_cast<Ref>(words_[clause - 2]);
      enter(clause, hash({literals(clause), size(clause)}));
    }
}

void Checker::remove(std::vector<int>& clause) {
  const uint64_t hash_value = hash(clause);
  Ref previous = kNoClause;
  for (Ref at = table_[hash_value & (table_.size() - 1)]; at != kNoClause;
       previous = at, at = static_cast<Ref>(words_[at - 2])) {
    if (size(at) != clause.size()) continue;
    if (!std::is_permutation(clause.begin(), clause.end(), literals(at))) continue;
    if (previous == kNoClause)
      table_[hash_value & (table_.size() - 1)] = static_cast<Ref>(words_[at - 2]);
    else
      words_[previous - 2] = words_[at - 2];
    --clauses_;
    words_[at - 1] = static_cast<int>(size(at) | kDeleted);
    wasted_ += size(at) + kHeader;
    if (wasted_ > (size_t{1} << 20) && wasted_ > words_.size() / 2) collect_garbage();
    return;
  }
}

// Clauses move to the front, in their order; references to them are updated.
void Checker::collect_garbage() {
  std::vector<int> old = {0};
  old.swap(words_);
  std::fill(table_.begin(), table_.end(), kNoClause);
  clauses_ = 0;
  for (std::vector<Watch>& watches : watches_) watches.clear();
  for (size_t at = 1 + kHeader; at < old.size() + kHeader;) {
    const uint32_t count = static_cast<uint32_t>(old[at - 1]) & ~kDeleted;
    if ((static_cast<uint32_t>(old[at - 1]) & kDeleted) == 0) {
      words_.push_back(0);
      words_.push_back(static_cast<int>(count));
      const Ref ref = static_cast<Ref>(words_.size());
      words_.insert(words_.end(), old.begin() + static_cast<std::ptrdiff_t>(at),
                    old.begin() + static_cast<std::ptrdiff_t>(at + count));
      int* const all = literals(ref);
      if (count > 1) {
        watch(all[0], ref, all[1]);
        watch(all[1], ref, all[0]);
      }
      enter(ref, hash({all, count}));
    }
    at += count + kHeader;
  }
  wasted_ = 0;
}

void Checker::poll() {
  if (limits_ == nullptr) return;
  const LimitReached reached = limits_->poll(words_.size() * sizeof(int));
  if (reached != LimitReached::kNone) throw LimitHit{reached};
}

}  // namespace

RupCheck check_rup(std::span<const std::vector<int>> formula, std::string_view proof, Limits* limits) {
  RupCheck result;
  try {
    Checker checker(limits, result);
    checker.load(formula);
    checker.run(proof);
    result.ok = true;
  } catch (const Rejected& rejected) {
    result.why_not = rejected.why;
  } catch (const LimitHit& hit) {
    result.exhausted = true;
    result.why_not = limits->describe(hit.reached);
  }
  return result;
}

RupCheck check_rup_file(std::span<const std::vector<int>> formula, const std::string& path, Limits* limits) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw NoSuchFile(fmt::format("cannot read the proof {}", path));
  return check_rup(formula, std::move(text).str(), limits);
}

}  // namespace fenceline::check
