// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lines of a DRAT proof, from text ("1 -2 0", "d 1 -2 0") or from the binary form of drat-trim and
// CaDiCaL: 'a' or 'd', then each literal l as 2|l|, plus 1 if it is negative, in groups of seven bits, the
// lowest first, with the highest bit of a byte set if there is more; then 0. A binary proof has a byte 0 in
// each line and a text has none, so they cannot be confused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fenceline::check {

class ProofReader {
 public:
  // Keeps a reference to the text.
  explicit ProofReader(std::string_view proof)
      : rest_(proof), binary_(proof.find('\0') != std::string_view::npos) {}

  enum class Line { kAdd, kDelete, kEnd, kMalformed };
  // The next line; its literals are left in `literals`, and are not 0.
  Line next(std::vector<int>& literals);

 private:
  Line next_text(std::vector<int>& literals);
  Line next_binary(std::vector<int>& literals);

  std::string_view rest_;
  bool binary_;
};

}  // namespace fenceline::check
