// SPDX-License-Identifier: GPL-3.0-or-later
//
// Everything is an insertion at a byte of the text, so what the author wrote stays as it is, comments and
// all. Insertions are collected first and made from the end of the text to its beginning, so that none moves
// another. At one and the same byte fences come first, then closing braces, then opening ones.
//
//     x = 1;              x = 1;                if (c) x = 1;     if (c) { x = 1; fence; }
//     y = 1;              fence;                x = 1; y = 1;     x = 1; fence; y = 1;
//                         y = 1;
//
// A statement is alone on its line if nothing precedes it there, and only a comment follows it up to the end
// of the line. A comment with /* may go on in the next line, which is why it does not count. A label before
// the statement, as in `cs: x = 1;`, does precede it; the fence goes to the next line nevertheless, indented
// like the line, as is usual after labels.
#include "report/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "env/errors.h"

namespace fenceline::report {
namespace {

enum class Order : uint8_t { kFence, kClose, kOpen };

struct Insertion {
  size_t at = 0;
  Order order = Order::kFence;
  std::string text;
  friend auto operator<=>(const Insertion&, const Insertion&) = default;
};

class Patcher {
 public:
  explicit Patcher(const SourceFile& source) : text_(source.text) {
    starts_.push_back(0);
    for (size_t i = 0; i < text_.size(); ++i)
      if (text_[i] == '\n') starts_.push_back(i + 1);
  }

  void add(const FenceText& fence) {
    const std::string words = to_string(fence.kinds) + ";";
    const StatementEnd& statement = fence.statement;
    const size_t begin = offset(statement.begin), end = offset(statement.end);
    require(begin < end && end <= text_.size(), "a statement ends before it begins");
    if (statement.open.known()) {
      insertions_.insert({offset(statement.open), Order::kOpen, "{ "});
      insertions_.insert({offset(statement.close), Order::kClose, " }"});
      insertions_.insert({end, Order::kFence, " " + words});
    } else if (alone(begin, end)) {
      const size_t line_end = end_of_line(end);
      const std::string line_break = line_end > 0 && text_[line_end - 1] == '\r' ? "\r\n" : "\n";
      const size_t at = line_break.size() == 2 ? line_end - 1 : line_end;
      insertions_.insert({at, Order::kFence, line_break + indentation(begin) + words});
    } else {
      insertions_.insert({end, Order::kFence, " " + words});
    }
  }

  std::string result() const {
    std::string out(text_);
    for (auto it = insertions_.rbegin(); it != insertions_.rend(); ++it) out.insert(it->at, it->text);
    return out;
  }

 private:
  size_t offset(SourcePos pos) const {
    require(pos.known() && pos.line <= starts_.size(), "a position outside the text");
    return starts_[pos.line - 1] + pos.column - 1;
  }
  size_t start_of_line(size_t at) const { return at == 0 ? 0 : text_.rfind('\n', at - 1) + 1; }
  size_t end_of_line(size_t at) const { return std::min(text_.find('\n', at), text_.size()); }

  // Nothing but blanks or a label before it, nothing but a comment behind it.
  bool alone(size_t begin, size_t end) const {
    const size_t start = start_of_line(begin);
    std::string_view before = std::string_view(text_).substr(start, begin - start);
    const size_t first = std::min(before.find_first_not_of(" \t"), before.size());
    before.remove_prefix(first);
    while (!before.empty() && (before.back() == ' ' || before.back() == '\t')) before.remove_suffix(1);
    const bool label = before.size() > 1 && before.back() == ':' &&
                       before.find_first_of(" \t;{}()/*?:") == before.size() - 1;
    if (!before.empty() && !label) return false;
    std::string_view behind = std::string_view(text_).substr(end, end_of_line(end) - end);
    const size_t next = behind.find_first_not_of(" \t\r");
    return next == std::string_view::npos || behind.substr(next).starts_with("//");
  }

  // Of the statement; if the line begins with a label, of the line below where that lies deeper.
  std::string indentation(size_t begin) const {
    const size_t start = start_of_line(begin);
    const auto blanks = [&](size_t from) {
      const size_t to = std::min(text_.find_first_not_of(" \t", from), text_.size());
      return std::string(text_.substr(from, to - from));
    };
    const std::string here = blanks(start);
    const size_t name_end = text_.find_first_of(" \t\n;:=[({", begin);
    const bool label = name_end != std::string_view::npos && text_[name_end] == ':';
    if (start + here.size() == begin && !label) return here;
    const size_t next = end_of_line(begin) + 1;
    if (next >= text_.size()) return here;
    std::string below = blanks(next);
    const size_t at = next + below.size();
    const bool usable = at < text_.size() && text_[at] != '}' && text_[at] != '\n' && text_[at] != '\r';
    return usable && below.size() > here.size() ? below : here;
  }

  const std::string_view text_;
  std::vector<size_t> starts_;      // of the lines
  std::set<Insertion> insertions_;  // each once: two fences in one statement share its braces
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

constexpr size_t kContext = 2;
constexpr size_t kLookAhead = 8;  // how many lines may be inserted in a row

}  // namespace

std::vector<FenceText> fence_texts(const std::vector<CandidatePosition>& candidates,
                                   const Placement& placement) {
  std::vector<FenceText> fences;
  for (const PlacedFence& fence : placement)
    fences.push_back({candidates[fence.position].statement, fence.kinds});
  return fences;
}

std::string patched_text(const SourceFile& source, const std::vector<FenceText>& fences) {
  Patcher patcher(source);
  for (const FenceText& fence : fences) patcher.add(fence);
  return patcher.result();
}

std::string changed_lines(std::string_view before, std::string_view after) {
  struct Line {
    char sign;
    std::string_view text;
    size_t number;  // before the change
  };
  const std::vector<std::string_view> old_lines = lines_of(before), new_lines = lines_of(after);
  std::vector<Line> all;
  size_t i = 0, j = 0;
  while (i < old_lines.size() || j < new_lines.size()) {
    if (i < old_lines.size() && j < new_lines.size() && old_lines[i] == new_lines[j]) {
      all.push_back({' ', old_lines[i++], i});
      ++j;
      continue;
    }
    // Lines that were added, up to where the old text goes on; else the line was changed.
    size_t added = 0;
    while (added < kLookAhead && j + added < new_lines.size() &&
           (i >= old_lines.size() || new_lines[j + added] != old_lines[i]))
      ++added;
    const bool goes_on = i >= old_lines.size() || (j + added < new_lines.size() && added < kLookAhead);
    if (!goes_on) {
      all.push_back({'-', old_lines[i++], i});
      added = j < new_lines.size() ? 1 : 0;
    }
    for (; added > 0; --added) all.push_back({'+', new_lines[j++], i});
  }
  std::string out;
  size_t shown = 0;  // lines up to here are shown
  for (size_t k = 0; k < all.size(); ++k) {
    if (all[k].sign == ' ') continue;
    size_t from = std::max(shown, k >= kContext ? k - kContext : 0),
           to = std::min(all.size(), k + kContext + 1);
    if (from > shown || out.empty()) out += fmt::format("@@ line {} @@\n", all[from].number);
    for (; from < to; ++from) out += fmt::format("{}{}\n", all[from].sign, all[from].text);
    shown = std::max(shown, to);
  }
  return out;
}

}  // namespace fenceline::report
