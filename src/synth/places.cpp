// SPDX-License-Identifier: GPL-3.0-or-later
//
// The front end says where statements end (Thread::ends); here, those that are one in the text are brought
// together. Two ends are the same place if a fence would be written at the same position. That is a finer
// question than which line they stand in, and a coarser one than which instruction it is: the two instances
// of `flag[i] = 1;` in thread P[i in 0..1] are one place, and so are the copies of a procedure's body.
//
// One copy inside an atomic section spoils the place for all of them, since the fence would stand there, too.
#include "synth/places.h"

#include <algorithm>
#include <map>

namespace fenceline {
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

std::vector<Place> candidate_places(const Program& program, Positions positions) {
  std::map<SourcePos, Place> places;
  std::map<SourcePos, bool> atomic;
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (const StatementEnd& end : program.threads[t].ends) {
      const Instruction& instruction = program.threads[t].at(end.point);
      if (!end.end.known() || !wanted(instruction, positions)) continue;
      if (end.inside_atomic) atomic[end.end] = true;
      Place& place = places[end.end];
      if (place.points.empty()) {
        place.statement = end;
        place.statement.point = Point();
        place.pos = instruction.pos;
        place.after = text_between(program.source, end.begin, end.end);
      }
      place.points.emplace_back(ThreadId(t), end.point);
    }
  std::vector<Place> result;
  for (auto& [end, place] : places) {
    if (atomic.contains(end)) continue;
    std::sort(place.points.begin(), place.points.end());
    result.push_back(std::move(place));
  }
  return result;
}

std::vector<std::string> threads_of(const Program& program, const Place& place) {
  std::vector<std::string> names;
  ThreadId last;
  for (const auto& [thread, point] : place.points) {
    if (thread != last) names.push_back(program.thread(thread).name);
    last = thread;
  }
  return names;
}

void add_fence(FenceSet& fences, const Place& place, FenceKinds kinds) {
  for (const auto& [thread, point] : place.points) fences.add(thread, point, kinds);
}

}  // namespace fenceline
