// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/errors.h"

#include <fmt/format.h>

#include <string_view>

namespace fenceline {
namespace {

// A quoted line must be readable: binary data and very long lines are truncated around the column.
constexpr size_t kQuotedWidth = 120;

struct Quote {
  std::string text;
  size_t caret = 0;
};

Quote quote_line(std::string_view line, uint32_t column) {
  size_t at = column > 0 ? column - 1 : 0;
  if (at > line.size()) at = line.size();
  size_t begin = at > kQuotedWidth / 2 ? at - kQuotedWidth / 2 : 0;
  if (line.size() <= kQuotedWidth) begin = 0;
  Quote quote;
  if (begin > 0) quote.text = "...";
  quote.caret = at - begin + quote.text.size();
  for (char c : line.substr(begin, kQuotedWidth)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool printable = byte >= 0x20 && byte != 0x7f && byte < 0x80;
    quote.text += c == '\t' ? ' ' : (printable ? c : '?');
  }
  if (begin + kQuotedWidth < line.size()) quote.text += "...";
  return quote;
}

std::string render_all(const SourceFile& file, const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += render_diagnostic(file, diagnostic);
  return text;
}

}  // namespace

std::string render_diagnostic(const SourceFile& file, const Diagnostic& diagnostic) {
  const SourcePos pos = diagnostic.pos;
  std::string text =
      fmt::format("{}:{}:{}: error: {}\n", file.name, pos.line, pos.column, diagnostic.message);
  if (pos.known()) {
    const Quote quote = quote_line(file.line(pos.line), pos.column);
    text += fmt::format("{:5} | {}\n      | {:>{}}\n", pos.line, quote.text, "^", quote.caret + 1);
  }
  if (!diagnostic.hint.empty()) text += fmt::format("      = {}\n", diagnostic.hint);
  return text;
}

InputError::InputError(const SourceFile& file, std::vector<Diagnostic> diagnostics)
    : std::runtime_error(render_all(file, diagnostics)), diagnostics_(std::move(diagnostics)) {}

Bug::Bug(const std::string& what, const char* file, int line)
    : std::logic_error(fmt::format("{} ({}:{})", what, file, line)) {}

}  // namespace fenceline
