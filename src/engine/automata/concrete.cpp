// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/automata/concrete.h"

#include <algorithm>
#include <utility>

namespace fenceline {
namespace {

constexpr size_t kMaxEnds = 16;  // contents of the last state that are tried

class Backwards {
 public:
  using Contents = std::vector<std::vector<Word>>;  // by thread and queue

  Backwards(SymbolicSystem& system, const Code& code, Contents contents)
      : system_(system), code_(code), contents_(std::move(contents)) {}

  // False if the chosen content does not fit.
  bool undo(const SymbolicPath::Piece& piece) {
    return piece.cycles.empty() ? undo_steps(piece.steps, nullptr) : undo_rounds(piece);
  }

  // In their order.
  std::vector<TraceStep> steps() && {
    std::reverse(reversed_.begin(), reversed_.end());
    return std::move(reversed_);
  }

 private:
  // `except`: the queues that this cycle makes grow are not changed.
  bool undo_steps(const std::vector<TraceStep>& steps, const Cycle* except) {
    std::vector<bool> in_atomic;  // by step: do stores go to memory there?
    bool open = false;
    for (const TraceStep& step : steps) {
      const bool execute = step.kind == StepKind::kExecute;
      const InstrKind kind = execute ? operation(step).kind : InstrKind::kHalt;
      if (kind == InstrKind::kAtomicBegin) open = true;
      in_atomic.push_back(open);
      if (kind == InstrKind::kAtomicEnd) open = false;
    }
    for (size_t i = steps.size(); i-- > 0;) {
      reversed_.push_back(steps[i]);
      const bool grows = except != nullptr && steps[i].thread == except->thread && steps[i].cell.valid() &&
                         !contents_[steps[i].thread.index()].empty() &&
                         !except->words[queue_of(steps[i])].empty();
      if (!grows && !undo(steps[i], in_atomic[i])) return false;
    }
    return true;
  }

  bool undo(const TraceStep& step, bool in_atomic) {
    std::vector<Word>& words = contents_[step.thread.index()];
    if (words.empty()) return step.kind == StepKind::kExecute;  // the model has no buffers
    if (step.kind == StepKind::kFlush) {
      Word& word = words[queue_of(step)];
      word.insert(word.begin(), {step.cell.value(), step.value.value_or(0), false});
      return true;
    }
    const Operation& op = operation(step);
    if (op.fence == FenceEffect::kMark)
      for (Word& word : words)
        for (Letter& letter : word) letter.marked = false;
    if (op.fence == FenceEffect::kBarrier && std::all_of(words.begin(), words.end(), [](const Word& word) {
          return !word.empty() && word.back() == Letter::barrier();
        }))
      for (Word& word : words) word.pop_back();
    if (op.kind != InstrKind::kStore || in_atomic) return true;
    Word& word = words[queue_of(step)];
    if (word.empty() || word.back().variable != step.cell.value() || word.back().value != step.value)
      return false;
    word.pop_back();
    return true;
  }

  // Every queue says which rounds it has seen. Where they differ, the longest list counts: a queue that has
  // seen fewer can let go of the others unnoticed (cycles.h).
  bool undo_rounds(const SymbolicPath::Piece& piece) {
    const ThreadId thread = piece.cycles.front().thread;
    std::vector<Word>& words = contents_[thread.index()];
    std::vector<size_t> rounds;
    for (size_t q = 0; q < words.size(); ++q) {
      if (piece.last && !take_suffix(words[q], piece.last->words[q])) return false;
      std::vector<Word> appended;
      std::vector<size_t> cycle_of;
      for (size_t i = 0; i < piece.cycles.size(); ++i) {
        if (piece.cycles[i].words[q].empty()) continue;
        appended.push_back(piece.cycles[i].words[q]);
        cycle_of.push_back(i);
      }
      const Language before = piece.before.empty() ? Languages::empty_word() : piece.before[q];
      std::optional<Languages::Parts> parts = system_.languages().take_apart(words[q], before, appended);
      if (!parts) return false;
      words[q] = std::move(parts->rest);
      if (parts->times.size() <= rounds.size()) continue;
      rounds.clear();
      for (const size_t time : parts->times) rounds.push_back(cycle_of[time]);
    }
    if (piece.last && !undo_steps(piece.last->steps, &*piece.last)) return false;
    for (size_t i = rounds.size(); i-- > 0;)
      if (!undo_steps(piece.cycles[rounds[i]].steps, &piece.cycles[rounds[i]])) return false;
    return true;
  }

  static bool take_suffix(Word& word, const Word& suffix) {
    if (word.size() < suffix.size() || !std::equal(suffix.rbegin(), suffix.rend(), word.rbegin()))
      return false;
    word.resize(word.size() - suffix.size());
    return true;
  }

  const Operation& operation(const TraceStep& step) const {
    return code_.at(step.thread.index(), step.point.value());
  }
  size_t queue_of(const TraceStep& step) const {
    const std::vector<uint32_t>& cells = system_.cells_of_queues(step.thread);
    if (cells.empty()) return 0;
    return static_cast<size_t>(std::find(cells.begin(), cells.end(), step.cell.value()) - cells.begin());
  }

  SymbolicSystem& system_;
  const Code& code_;
  Contents contents_;
  std::vector<TraceStep> reversed_;
};

// Contents of the state's buffers to try, short ones first. Of the thread that goes wrong several are tried:
// which of them make its step fail is not known.
std::vector<Backwards::Contents> contents_of(SymbolicSystem& system, const Code& code, PackedState state,
                                             bool empty, std::optional<ThreadId> culprit) {
  Backwards::Contents shortest;
  std::vector<std::pair<size_t, Word>> others;  // queue of the culprit, word
  for (size_t t = 0; t < code.threads(); ++t) {
    const Queues queues = system.queues(state, ThreadId(t));
    const size_t count = code.buffering() == Buffering::kNone
                             ? 0
                             : std::max<size_t>(1, system.cells_of_queues(ThreadId(t)).size());
    shortest.emplace_back(count);
    for (size_t q = 0; !empty && q < queues.size(); ++q) {
      std::vector<Word> words = system.languages().shortest_words(queues[q], kMaxEnds);
      if (words.empty()) continue;
      shortest[t][q] = words.front();
      for (size_t i = 1; culprit == ThreadId(t) && i < words.size(); ++i) others.emplace_back(q, words[i]);
    }
  }
  std::vector<Backwards::Contents> all{shortest};
  for (const auto& [queue, word] : others) {
    all.push_back(shortest);
    all.back()[culprit->index()][queue] = word;
  }
  return all;
}

}  // namespace

std::optional<Followed> concrete_run(const Problem& problem, SymbolicSystem& system, const Code& code,
                                     const SymbolicPath& path, Env& env, std::string& why_not) {
  if (path.pieces.empty()) return follow(problem, {path.failing, {}}, env, why_not);
  SymbolicPath::Piece before_failure;  // all steps of `failing` but the last
  KeptState end = path.end;
  std::optional<ThreadId> culprit;
  if (!path.failing.empty()) {
    before_failure.steps.assign(path.failing.begin(), path.failing.end() - 1);
    culprit = path.failing.back().thread;
    if (const std::optional<PackedState> last = system.follow(end.packed(), before_failure.steps))
      end = KeptState(*last);
    else
      before_failure.steps.clear();
  }
  for (Backwards::Contents& contents :
       contents_of(system, code, end.packed(), path.needs_empty_buffers, culprit)) {
    Backwards backwards(system, code, std::move(contents));
    bool fits = backwards.undo(before_failure);
    for (size_t i = path.pieces.size(); fits && i-- > 0;) fits = backwards.undo(path.pieces[i]);
    if (!fits) continue;
    Path run{std::move(backwards).steps(), {}};
    if (culprit) {
      run.steps.insert(run.steps.end(),
                       path.failing.begin() + static_cast<std::ptrdiff_t>(before_failure.steps.size()),
                       path.failing.end());
    }
    if (std::optional<Followed> followed = follow(problem, run, env, why_not)) return followed;
  }
  if (why_not.empty()) why_not = "no content of its last buffers leads back to the start";
  return std::nullopt;
}

}  // namespace fenceline
