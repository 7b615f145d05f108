// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/automata/concrete.h"

#include <algorithm>
#include <utility>

namespace fenceline::automata {
namespace {

constexpr size_t kMaxEnds = 16;  // contents of the last state that are tried
constexpr size_t kIterationsTried[] = {1, 2, 0, 3};

class Backwards {
 public:
  using Contents = std::vector<std::vector<Word>>;  // by thread and queue

  Backwards(machine::SymbolicSystem& system, const machine::Code& code, Contents contents)
      : system_(system), code_(code), contents_(std::move(contents)) {}

  // False if the chosen content does not fit.
  bool undo(const SymbolicPath::Piece& piece) {
    return piece.cycles.empty() ? undo_steps(piece.steps, nullptr) : undo_iterations(piece);
  }

  // In their order.
  std::vector<TraceStep> steps() && {
    std::reverse(reversed_.begin(), reversed_.end());
    return std::move(reversed_);
  }

 private:
  // `except`: the queues that this cycle makes grow are not changed.
  bool undo_steps(const std::vector<TraceStep>& steps, const Cycle* except) {
    const std::vector<bool> in_atomic = machine::inside_sections(code_, steps);  // stores go to memory there
    for (size_t i = steps.size(); i-- > 0;) {
      reversed_.push_back(steps[i]);
      const bool grows = except != nullptr && steps[i].thread == except->thread &&
                         uses_queue(steps[i], in_atomic[i]) && except->grows(queue_of(steps[i]));
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
    const machine::Operation& op = operation(step);
    if (op.fence == machine::FenceEffect::kMark)
      for (Word& word : words)
        for (Letter& letter : word) letter.marked = false;
    if (op.fence == machine::FenceEffect::kBarrier &&
        std::all_of(words.begin(), words.end(),
                    [](const Word& word) { return !word.empty() && word.back() == Letter::barrier(); }))
      for (Word& word : words) word.pop_back();
    if (op.kind != InstrKind::kStore || in_atomic) return true;
    Word& word = words[queue_of(step)];
    if (word.empty() || word.back().variable != step.cell.value() || word.back().value != step.value)
      return false;
    word.pop_back();
    return true;
  }

  // Every queue determines which iterations it has seen. Where they differ, the longest list counts: a queue
  // that has seen fewer can flush the others unobserved (cycles.h).
  bool undo_iterations(const SymbolicPath::Piece& piece) {
    std::vector<const Cycle*> cycles;
    for (const Cycle& cycle : piece.cycles) cycles.push_back(&cycle);
    std::vector<Word>& words = contents_[piece.cycles.front().thread.index()];
    std::vector<Iteration> iterations;
    for (size_t q = 0; q < words.size(); ++q) {
      Word last;
      if (piece.last && piece.last->grows(q)) {
        const std::optional<Word> ending = take_suffix(words[q], piece.last->appended[q]);
        if (!ending) return false;
        last = *ending;
      }
      const Language before = piece.before.empty() ? Languages::empty_word() : piece.before[q];
      std::optional<std::vector<Iteration>> own = take_iterations(words[q], before, cycles, q);
      if (!own) return false;
      if (piece.last) own->push_back({&*piece.last, q, last});
      if (own->size() > iterations.size()) iterations = std::move(*own);
    }
    for (size_t i = iterations.size(); i-- > 0;)
      if (!undo_iteration(iterations[i])) return false;
    return true;
  }

  // One iteration of a cycle, which appended the word to the queue.
  struct Iteration {
    const Cycle* cycle;
    size_t queue;
    Word word;
  };

  // Takes the iterations from the end of the word and leaves a word of the language.
  std::optional<std::vector<Iteration>> take_iterations(Word& word, Language language,
                                                        const std::vector<const Cycle*>& cycles,
                                                        size_t queue) {
    std::vector<Language> appended;
    for (const Cycle* cycle : cycles) appended.push_back(cycle->appended[queue]);
    std::optional<Languages::Parts> parts = system_.languages().decompose(word, language, appended);
    if (!parts) return std::nullopt;
    word = std::move(parts->prefix);
    std::vector<Iteration> iterations;
    for (Languages::Iteration& one : parts->iterations)
      iterations.push_back({cycles[one.of], queue, std::move(one.word)});
    return iterations;
  }

  // Backwards through the stretches of the cycle. What is left of the word before a stretch must be a word
  // that the stretches before it can append.
  bool undo_iteration(Iteration iteration) {
    const Cycle& cycle = *iteration.cycle;
    // By stretch: what was appended before its inner cycles.
    std::vector<Language> before{Languages::empty_word()};
    for (const Cycle::Stretch& stretch : cycle.stretches) {
      const Word letters = letters_of(stretch.steps, cycle.thread, iteration.queue);
      before.push_back(system_.languages().append(before.back(), letters));
      if (!stretch.inner.empty()) {
        Language appended = Languages::nothing();
        for (const Cycle* inner : stretch.inner)
          appended = system_.languages().united(appended, inner->appended[iteration.queue]);
        before.push_back(system_.languages().repeated(before.back(), appended));
      } else {
        before.push_back(before.back());
      }
    }
    for (size_t i = cycle.stretches.size(); i-- > 0;) {
      const Cycle::Stretch& stretch = cycle.stretches[i];
      if (!stretch.inner.empty()) {
        const auto inner = take_iterations(iteration.word, before[2 * i + 1], stretch.inner, iteration.queue);
        if (!inner) return false;
        for (size_t r = inner->size(); r-- > 0;)
          if (!undo_iteration((*inner)[r])) return false;
      }
      if (!undo_steps(stretch.steps, &cycle)) return false;
      const size_t letters = letters_of(stretch.steps, cycle.thread, iteration.queue).size();
      if (iteration.word.size() < letters) return false;
      iteration.word.resize(iteration.word.size() - letters);
    }
    return true;
  }

  // What the steps append to the queue.
  Word letters_of(const std::vector<TraceStep>& steps, ThreadId thread, size_t queue) const {
    Word letters;
    const std::vector<bool> in_atomic = machine::inside_sections(code_, steps);
    for (size_t i = 0; i < steps.size(); ++i)
      if (steps[i].thread == thread && steps[i].kind == StepKind::kExecute &&
          uses_queue(steps[i], in_atomic[i]) && queue_of(steps[i]) == queue)
        letters.push_back({steps[i].cell.value(), steps[i].value.value_or(0), false});
    return letters;
  }

  // Takes the longest ending of the word that is in the language.
  std::optional<Word> take_suffix(Word& word, Language language) const {
    for (size_t length = word.size(); length > 0; --length) {
      Word suffix(word.end() - static_cast<std::ptrdiff_t>(length), word.end());
      if (!system_.languages().contains(language, suffix)) continue;
      word.resize(word.size() - length);
      return suffix;
    }
    return std::nullopt;
  }

  // Does the step put a store into a queue, or take one out?
  bool uses_queue(const TraceStep& step, bool in_atomic) const {
    if (step.kind == StepKind::kFlush) return true;
    return operation(step).kind == InstrKind::kStore && !in_atomic;
  }
  const machine::Operation& operation(const TraceStep& step) const {
    return code_.at(step.thread.index(), step.point.value());
  }
  // Precondition: uses_queue().
  size_t queue_of(const TraceStep& step) const { return system_.queue_of(step.thread, step.cell); }

  machine::SymbolicSystem& system_;
  const machine::Code& code_;
  Contents contents_;
  std::vector<TraceStep> reversed_;
};

// Contents of the state's buffers to try, short ones first. Of the thread whose step fails several are tried:
// it is not known which of them make the step fail.
std::vector<Backwards::Contents> contents_of(machine::SymbolicSystem& system, const machine::Code& code,
                                             machine::PackedState state, bool empty,
                                             std::optional<ThreadId> culprit) {
  Backwards::Contents shortest;
  std::vector<std::pair<size_t, Word>> others;  // queue of the culprit, word
  for (size_t t = 0; t < code.threads(); ++t) {
    const machine::Queues queues = system.queues(state, ThreadId(t));
    const size_t count = code.buffering() == Buffering::kUnbuffered
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

void append(std::vector<TraceStep>& steps, const Cycle& cycle) {
  for (const Cycle::Stretch& stretch : cycle.stretches) {
    steps.insert(steps.end(), stretch.steps.begin(), stretch.steps.end());
    for (const Cycle* inner : stretch.inner) append(steps, *inner);
  }
}

// The trace with every cycle iterated so many times.
machine::Path with_iterations(const SymbolicPath& path, size_t iterations) {
  machine::Path trace;
  for (const SymbolicPath::Piece& piece : path.pieces) {
    trace.steps.insert(trace.steps.end(), piece.steps.begin(), piece.steps.end());
    for (size_t i = 0; i < iterations; ++i)
      for (const Cycle& cycle : piece.cycles) append(trace.steps, cycle);
    if (piece.last) append(trace.steps, *piece.last);
  }
  trace.steps.insert(trace.steps.end(), path.failing.begin(), path.failing.end());
  return trace;
}

}  // namespace

std::optional<engine::Concretised> concretise_symbolic(const Task& task, machine::SymbolicSystem& system,
                                                       const machine::Code& code, const SymbolicPath& path,
                                                       Env& env, std::string& why_not) {
  if (path.pieces.empty()) return engine::concretise(task, {path.failing, {}}, env, why_not);
  SymbolicPath::Piece before_failure;  // all steps of `failing` but the last
  machine::KeptState end = path.end;
  std::optional<ThreadId> culprit;
  if (!path.failing.empty()) {
    before_failure.steps.assign(path.failing.begin(), path.failing.end() - 1);
    culprit = path.failing.back().thread;
    if (const std::optional<machine::PackedState> last =
            system.after_steps(end.packed(), before_failure.steps))
      end = machine::KeptState(*last);
    else
      before_failure.steps.clear();
  }
  for (Backwards::Contents& contents :
       contents_of(system, code, end.packed(), path.needs_empty_buffers, culprit)) {
    Backwards backwards(system, code, std::move(contents));
    bool fits = backwards.undo(before_failure);
    for (size_t i = path.pieces.size(); fits && i-- > 0;) fits = backwards.undo(path.pieces[i]);
    if (!fits) continue;
    machine::Path trace{std::move(backwards).steps(), {}};
    if (culprit) {
      trace.steps.insert(trace.steps.end(),
                         path.failing.begin() + static_cast<std::ptrdiff_t>(before_failure.steps.size()),
                         path.failing.end());
    }
    if (std::optional<engine::Concretised> found = engine::concretise(task, trace, env, why_not))
      return found;
  }
  // With a queue per cell the iterations that the queues have seen need not fit together, and barriers that
  // have vanished are not put back. Then numbers of iterations are tried, and concretise() searches for the
  // flushes that go with them.
  for (const size_t iterations : kIterationsTried)
    if (std::optional<engine::Concretised> found =
            engine::concretise(task, with_iterations(path, iterations), env, why_not))
      return found;
  return std::nullopt;
}

}  // namespace fenceline::automata
