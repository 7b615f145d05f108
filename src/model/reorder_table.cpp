// SPDX-License-Identifier: GPL-3.0-or-later
//
// The reader of `.table` files, line by line:
//
//   "Total store order"            what the model is called
//   store load swap forward        of a store and a later load: swapped if the cells differ, else forwarded
//   branches wait                  or guess
//
// Pairs that are not named keep their order; none is named twice. Everything behind # is a comment.
#include "model/reorder_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "env/text_cursor.h"
#include "model/cat/spelling.h"
#include "model/shipped_tables.h"

namespace fenceline {
namespace {

constexpr std::array<std::string_view, 3> kAccesses = {"load", "store", "rmw"};
constexpr std::array<std::string_view, 4> kFirstWords = {"load", "store", "rmw", "branches"};
constexpr std::array<std::string_view, 3> kReorders = {"keep", "forward", "swap"};

constexpr size_t kShown = 60;  // characters of a word, in messages

struct Word {
  std::string_view text;
  SourcePos pos;
};

class TableReader {
 public:
  explicit TableReader(const SourceFile& file) : cursor_(file) {}

  ReorderTable read() {
    for (; !cursor_.at_end(); cursor_.take()) {
      line();
      cursor_.skip_line();
    }
    if (lines_ == 0) fail({1, 1}, "expected a table, found no rule");
    return table_;
  }

 private:
  [[noreturn]] void fail(SourcePos pos, std::string message, std::string hint = {}) const {
    cursor_.fail(pos, std::move(message), std::move(hint));
  }
  [[noreturn]] void expected(const Word& found, std::span<const std::string_view> words) const {
    std::string list;
    cat::NearestName nearest(found.text);
    for (const std::string_view word : words) {
      list += fmt::format("{}'{}'", list.empty() ? "" : ", ", word);
      nearest.consider(word);
    }
    if (found.text.empty())
      fail(found.pos, fmt::format("expected one of {}, found the end of the line", list));
    fail(found.pos, fmt::format("expected one of {}, found {}", list, quoted_excerpt(found.text, kShown)),
         nearest.hint());
  }

  void skip_blanks() { cursor_.skip_blanks(" \t\r"); }

  // Control characters are rejected. Letters beyond ASCII are allowed in titles.
  void check_text(std::string_view text, SourcePos pos, bool title) const {
    for (size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte >= 0x20 && byte != 0x7f && (title || byte < 0x80)) continue;
      pos.column += static_cast<uint32_t>(i);
      fail(pos, fmt::format("expected a word of a table, found byte 0x{:02x}", byte));
    }
  }

  void line() {
    std::vector<Word> words;
    for (skip_blanks(); !cursor_.at_end() && cursor_.peek() != '\n' && cursor_.peek() != '#'; skip_blanks()) {
      const SourcePos pos = cursor_.pos();
      if (cursor_.accept("\"")) {
        const SourcePos inside = cursor_.pos();
        const std::string_view title = cursor_.take_until("\"\n");
        if (!cursor_.accept("\"")) fail(pos, "expected a closing '\"' on the same line");
        check_text(title, inside, true);
        table_.title = title;
      } else {
        words.push_back({cursor_.take_until(" \t\r\n\"#"), pos});
        check_text(words.back().text, pos, false);
      }
    }
    if (words.empty()) return;
    ++lines_;
    words.resize(std::max<size_t>(words.size(), 4), {"", cursor_.pos()});
    const size_t first = one_of(words[0], kFirstWords);
    if (first == kAccesses.size())
      branches(words);
    else
      pair(static_cast<AccessKind>(first), words);
  }

  void branches(const std::vector<Word>& words) {
    static constexpr std::array<std::string_view, 2> kBranchRules = {"wait", "guess"};
    table_.guesses_branches = one_of(words[1], kBranchRules) == 1;
    nothing_more(words, 2);
    once(branches_line_, words[0].pos, "branches");
  }

  void pair(AccessKind first, const std::vector<Word>& words) {
    const auto second = static_cast<AccessKind>(one_of(words[1], kAccesses));
    const auto other = static_cast<Reorder>(one_of(words[2], kReorders));
    const auto same = static_cast<Reorder>(one_of(words[3], kReorders));
    nothing_more(words, 4);
    if (other == Reorder::kForward)
      fail(words[2].pos, "nothing can be forwarded from one cell to another; expected 'keep' or 'swap'");
    const bool store_load = first == AccessKind::kStore && second == AccessKind::kLoad;
    if (same == Reorder::kForward && !store_load)
      fail(words[3].pos, "only a store can be forwarded, and only to a load");
    const bool loads = first == AccessKind::kLoad && second == AccessKind::kLoad;
    if (same == Reorder::kSwap && !loads)
      fail(words[3].pos,
           fmt::format("accesses to one cell keep their order, but for two loads; expected 'keep'{}",
                       store_load ? " or 'forward'" : ""));
    once(pair_lines_[static_cast<size_t>(first)][static_cast<size_t>(second)], words[0].pos, "this pair");
    table_.set(first, second, false, other);
    table_.set(first, second, true, same);
  }

  template <size_t kCount>
  size_t one_of(const Word& word, const std::array<std::string_view, kCount>& words) const {
    for (size_t i = 0; i < kCount; ++i)
      if (word.text == words[i]) return i;
    expected(word, words);
  }
  void nothing_more(const std::vector<Word>& words, size_t used) const {
    if (words.size() > used && !words[used].text.empty())
      fail(words[used].pos,
           fmt::format("expected the end of the line, found {}", quoted_excerpt(words[used].text, kShown)));
  }
  // `line`: an earlier line with the same rule, or 0.
  void once(uint32_t& line, SourcePos pos, std::string_view what) const {
    if (line != 0) fail(pos, fmt::format("expected nothing more about {}: line {} has it", what, line));
    line = pos.line;
  }

  TextCursor cursor_;
  ReorderTable table_;
  size_t lines_ = 0;
  uint32_t branches_line_ = 0;
  std::array<std::array<uint32_t, 3>, 3> pair_lines_{};
};

}  // namespace

bool ReorderTable::overtakes_loads() const {
  for (const AccessKind second : {AccessKind::kLoad, AccessKind::kStore, AccessKind::kRmw})
    for (const bool same : {false, true})
      if (at(AccessKind::kLoad, second, same) != Reorder::kKeep) return true;
  return false;
}

ReorderTable parse_table(const SourceFile& file) { return TableReader(file).read(); }

std::optional<ReorderTable> shipped_table(std::string_view name) {
  for (const EmbeddedText& table : shipped_tables())
    if (table.name == name) return parse_table({std::string(name) + ".table", std::string(table.text)});
  return std::nullopt;
}

}  // namespace fenceline
