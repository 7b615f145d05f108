// SPDX-License-Identifier: GPL-3.0-or-later
//
// The front end gives the ends of statements (Thread::ends); here, those that are one in the text are merged.
// Two ends are the same candidate position if a fence would be written at the same position of the text. That
// is finer than the line and coarser than the instruction: the two instances of `flag[i] = 1;` in thread P[i
// in 0..1] are one candidate position, and so are the copies of a procedure's body.
//
// If one copy is inside an atomic section, the position is no candidate, since the fence would be there, too.
#include "synth/candidate_positions.h"

#include <algorithm>
#include <map>

namespace fenceline::synth {
namespace {

constexpr size_t kLongestText = 60;

// The text from `begin` to `end` on one line, with single blanks, cut if it is long.
std::string text_between(const SourceFile& source, SourcePos begin, SourcePos end) {
  std::string text;
  for (uint32_t number = begin.line; number <= end.line; ++number) {
    std::string_view line = source.line(number);
    if (number == end.line) line = line.substr(0, std::min<size_t>(line.size(), end.column - 1));
    if (number == begin.line) line.remove_prefix(std::min<size_t>(line.size(), begin.column - 1));
    for (const char c : line) {
      const bool blank = c == ' ' || c == '\t' || c == '\r';
      if (!blank || (!text.empty() && text.back() != ' ')) text += blank ? ' ' : c;
    }
    if (number != end.line && !text.empty() && text.back() != ' ') text += ' ';
  }
  if (!text.empty() && text.back() == ' ') text.pop_back();
  if (text.size() > kLongestText) text = text.substr(0, kLongestText - 3) + "...";
  return text;
}

bool wanted(const Instruction& instruction, Positions positions) {
  if (positions == Positions::kStores) return instruction.kind == InstrKind::kStore;
  return instruction.kind != InstrKind::kFence || !instruction.fence.includes(FenceKinds::full());
}

}  // namespace

std::vector<CandidatePosition> candidate_positions(const Program& program, Positions positions) {
  std::map<SourcePos, CandidatePosition> by_end;
  std::map<SourcePos, bool> atomic;
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (const StatementEnd& end : program.threads[t].ends) {
      const Instruction& instruction = program.threads[t].at(end.point);
      if (!end.end.known() || !wanted(instruction, positions)) continue;
      if (end.inside_atomic) atomic[end.end] = true;
      CandidatePosition& candidate = by_end[end.end];
      if (candidate.points.empty()) {
        candidate.statement = end;
        candidate.statement.point = Point();
        candidate.pos = instruction.pos;
        candidate.after = text_between(program.source, end.begin, end.end);
      }
      candidate.points.emplace_back(ThreadId(t), end.point);
    }
  std::vector<CandidatePosition> result;
  for (auto& [end, candidate] : by_end) {
    if (atomic.contains(end)) continue;
    std::sort(candidate.points.begin(), candidate.points.end());
    result.push_back(std::move(candidate));
  }
  return result;
}

void add_fence(FenceSet& fences, const CandidatePosition& candidate, FenceKinds kinds) {
  for (const auto& [thread, point] : candidate.points) fences.add(thread, point, kinds);
}

}  // namespace fenceline::synth
