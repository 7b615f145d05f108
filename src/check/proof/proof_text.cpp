// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/proof/proof_text.h"

#include <charconv>
#include <cstdint>
#include <limits>

namespace fenceline::check {

ProofReader::Line ProofReader::next(std::vector<int>& literals) {
  literals.clear();
  return binary_ ? next_binary(literals) : next_text(literals);
}

ProofReader::Line ProofReader::next_text(std::vector<int>& literals) {
  const auto skip_space = [&] {
    const size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  };
  skip_space();
  while (rest_.starts_with('c')) {  // a comment
    const size_t end = rest_.find('\n');
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
    skip_space();
  }
  if (rest_.empty()) return Line::kEnd;
  Line line = Line::kAdd;
  if (rest_.starts_with('d')) {
    line = Line::kDelete;
    rest_.remove_prefix(1);
  }
  for (;;) {
    skip_space();
    int literal = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), literal);
    if (error != std::errc() || literal == std::numeric_limits<int>::min()) return Line::kMalformed;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    if (!rest_.empty() && std::string_view(" \t\r\n").find(rest_.front()) == std::string_view::npos)
      return Line::kMalformed;
    if (literal == 0) return line;
    literals.push_back(literal);
  }
}

ProofReader::Line ProofReader::next_binary(std::vector<int>& literals) {
  if (rest_.empty()) return Line::kEnd;
  if (rest_.front() != 'a' && rest_.front() != 'd') return Line::kMalformed;
  const Line line = rest_.front() == 'a' ? Line::kAdd : Line::kDelete;
  rest_.remove_prefix(1);
  for (;;) {
    uint64_t code = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (rest_.empty() || shift > 28) return Line::kMalformed;
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      code |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80u) == 0) break;
    }
    if (code == 0) return line;
    const auto variable = static_cast<int64_t>(code >> 1);
    if (variable == 0 || variable > std::numeric_limits<int>::max()) return Line::kMalformed;
    literals.push_back(static_cast<int>((code & 1) != 0 ? -variable : variable));
  }
}

}  // namespace fenceline::check
