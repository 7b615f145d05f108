// SPDX-License-Identifier: GPL-3.0-or-later
//
// The text is read event by event, because values of a parsed document have no positions: the iterator that the parser
// reads from says how far it has come.
#include "frontend/c/compile_commands.h"

#include <fmt/format.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/StringSaver.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "env/errors.h"
#include "frontend/c/flags.h"

namespace fenceline::frontend::c {
namespace {

namespace fs = std::filesystem;

// ---- The text

// Counts what is read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  size_t* count_;
};

std::vector<std::string> words_of_shell(const std::string& line) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char*> words;
  llvm::cl::TokenizeGNUCommandLine(line, saver, words);
  return {words.begin(), words.end()};
}

// What the parser calls for each token. A value that means nothing here is skipped with all that is in it.
class Reader {
 public:
  explicit Reader(const SourceFile& source) : source_(source) {}

  std::vector<BuildCommand> read() {
    const char* begin = source_.text.data();
    nlohmann::json::sax_parse(CountingIterator(begin, &read_),
                              CountingIterator(begin + source_.text.size(), &read_), this);
    return std::move(commands_);
  }

  bool null() { return other_value(); }
  bool boolean(bool) { return other_value(); }
  bool number_integer(nlohmann::json::number_integer_t) { return other_value(); }
  bool number_unsigned(nlohmann::json::number_unsigned_t) { return other_value(); }
  bool number_float(nlohmann::json::number_float_t, const std::string&) { return other_value(); }
  bool binary(nlohmann::json::binary_t&) { return other_value(); }

  bool string(std::string& text) {
    if (skipped_ > 0) return true;
    if (where_ == Where::kArguments) {
      commands_.back().arguments.push_back(text);
      return true;
    }
    if (where_ != Where::kEntry || key_ == "arguments") complain(start_of_string(), expected());
    if (key_ == "file") commands_.back().file = text;
    if (key_ == "directory") commands_.back().directory = text;
    if (key_ == "command") {
      commands_.back().arguments = words_of_shell(text);
      commands_.back().pos = position(start_of_string());
    }
    return true;
  }
  bool key(std::string& name) {
    key_ = name;
    return true;
  }
  bool start_object(size_t) {
    if (skipped_ > 0 || (where_ == Where::kEntry && !is_known(key_))) {
      ++skipped_;
      return true;
    }
    if (where_ != Where::kList) complain(read_ - 1, expected());
    where_ = Where::kEntry;
    commands_.emplace_back();
    entry_ = read_ - 1;
    return true;
  }
  bool end_object() {
    if (skipped_ > 0) {
      --skipped_;
      return true;
    }
    where_ = Where::kList;
    const BuildCommand& command = commands_.back();
    if (command.directory.empty()) complain(entry_, "\"directory\" is missing");
    if (command.file.empty()) complain(entry_, "\"file\" is missing");
    if (command.arguments.empty()) complain(entry_, "\"command\" or \"arguments\" is missing, or empty");
    return true;
  }
  bool start_array(size_t) {
    if (skipped_ > 0 || (where_ == Where::kEntry && !is_known(key_))) {
      ++skipped_;
      return true;
    }
    if (where_ == Where::kNowhere) {
      where_ = Where::kList;
    } else if (where_ == Where::kEntry && key_ == "arguments") {
      where_ = Where::kArguments;
      commands_.back().pos = position(read_ - 1);
      commands_.back().arguments.clear();
    } else {
      complain(read_ - 1, expected());
    }
    return true;
  }
  bool end_array() {
    if (skipped_ > 0)
      --skipped_;
    else
      where_ = where_ == Where::kArguments ? Where::kEntry : Where::kNowhere;
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error) {
    const std::string_view text = error.what();
    constexpr std::string_view kBegin = "syntax error while parsing ";
    const size_t at = text.find(kBegin), bracket = text.find("] ");
    const bool string = read_ > 1 && source_.text[read_ - 1] == '"' &&
                        text.find("unexpected string literal") != std::string_view::npos;
    complain(string      ? start_of_string()
             : read_ > 0 ? read_ - 1
                         : 0,
             "not JSON: " + std::string(at != std::string_view::npos        ? text.substr(at + kBegin.size())
                                        : bracket != std::string_view::npos ? text.substr(bracket + 2)
                                                                            : text));
  }

 private:
  enum class Where : uint8_t { kNowhere, kList, kEntry, kArguments };

  static bool is_known(std::string_view key) {
    return key == "file" || key == "directory" || key == "command" || key == "arguments";
  }

  std::string expected() const {
    switch (where_) {
      case Where::kNowhere:
        return "expected a list of commands: [";
      case Where::kList:
        return "expected an object with \"directory\", \"file\" and \"command\" or \"arguments\"";
      case Where::kEntry:
        return fmt::format("\"{}\": expected {}", key_,
                           key_ == "arguments" ? "a list of strings" : "a string");
      case Where::kArguments:
        return "\"arguments\": expected a string";
    }
    throw Bug("a place in a text that is not known");
  }

  bool other_value() {
    if (skipped_ == 0 && (where_ != Where::kEntry || is_known(key_))) complain(start_of_word(), expected());
    return true;
  }

  // Of the string that ends where the parser is.
  size_t start_of_string() const {
    const std::string& text = source_.text;
    for (size_t at = read_ - 1; at-- > 0;) {
      if (text[at] != '"') continue;
      size_t backslashes = 0;
      while (backslashes < at && text[at - 1 - backslashes] == '\\') ++backslashes;
      if (backslashes % 2 == 0) return at;
    }
    return 0;
  }
  // Of a number or a word; the parser may be one character behind it.
  size_t start_of_word() const {
    constexpr std::string_view kBetween = " \t\r\n,:[]{}";
    size_t at = read_;
    const auto between = [&] { return kBetween.find(source_.text[at - 1]) != std::string_view::npos; };
    while (at > 0 && between()) --at;
    while (at > 0 && !between()) --at;
    return at;
  }

  SourcePos position(size_t offset) const {
    const std::string_view before = std::string_view(source_.text).substr(0, offset);
    const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    return {static_cast<uint32_t>(1 + std::count(before.begin(), before.end(), '\n')),
            static_cast<uint32_t>(1 + before.size() - line_begin)};
  }

  [[noreturn]] void complain(size_t offset, const std::string& message) const {
    throw InputError(source_, {{position(offset), message, ""}});
  }

  const SourceFile& source_;
  std::vector<BuildCommand> commands_;
  size_t read_ = 0;  // bytes that the parser has read
  Where where_ = Where::kNowhere;
  std::string key_;
  size_t entry_ = 0;    // where it begins
  size_t skipped_ = 0;  // depth inside of a value that is skipped
};

// ---- The words of a command

std::string absolute(const fs::path& path, const fs::path& folder) {
  std::error_code ignored;
  return (path.is_absolute() ? path : fs::absolute(folder, ignored) / path).lexically_normal().string();
}

// Options that have an operand, which may be a word of its own.
enum class Operand : uint8_t {
  kText,
  kPath,
  kHeader,   // found beside the compiler's working directory, or where includes are
  kDropped,  // the option has no influence
};
struct WithOperand {
  std::string_view name;
  Operand operand;
};
// No name begins with one that comes before it.
constexpr std::array kWithOperand = {
    WithOperand{"-isystem", Operand::kPath},
    WithOperand{"-isysroot", Operand::kPath},
    WithOperand{"-iquote", Operand::kPath},
    WithOperand{"-idirafter", Operand::kPath},
    WithOperand{"-include-pch", Operand::kDropped},
    WithOperand{"-include", Operand::kHeader},
    WithOperand{"-imacros", Operand::kHeader},
    WithOperand{"--sysroot=", Operand::kPath},
    WithOperand{"--sysroot", Operand::kPath},
    WithOperand{"-MF", Operand::kDropped},
    WithOperand{"-MT", Operand::kDropped},
    WithOperand{"-MQ", Operand::kDropped},
    WithOperand{"-Xlinker", Operand::kDropped},
    WithOperand{"-Xassembler", Operand::kDropped},
    WithOperand{"--param", Operand::kDropped},
    WithOperand{"-D", Operand::kText},
    WithOperand{"-U", Operand::kText},
    WithOperand{"-I", Operand::kPath},
    WithOperand{"-o", Operand::kDropped},
    WithOperand{"-x", Operand::kDropped},
};

// They change what the program is, and are not supported. By how they begin.
constexpr std::array<std::string_view, 9> kRejectedWords = {
    "@", "--target", "-target", "-m32", "-mx32", "-fopenmp", "-fmodule", "-mbig-endian", "-mabi=ilp32"};
constexpr std::array<std::string_view, 7> kPassedWords = {"-std=",     "--std=",      "-pthread", "-ansi",
                                                          "-nostdinc", "-nostdinc++", "-undef"};

class Translation {
 public:
  Translation(const SourceFile& source, const BuildCommand& command, const std::string& folder)
      : source_(source), command_(command), directory_(absolute(command.directory, folder)) {}

  std::vector<std::string> words() {
    std::vector<std::string> given;
    for (size_t i = 1; i < command_.arguments.size(); ++i) unwrap(command_.arguments[i], given);
    for (size_t i = 0; i < given.size(); ++i)
      if (!translate_with_operand(given, i)) translate(given[i]);
    return std::move(result_);
  }

 private:
  // -Xclang and -Wp, only say to which part of the compiler a word goes.
  static void unwrap(const std::string& word, std::vector<std::string>& given) {
    if (word == "-Xclang" || word == "-Xpreprocessor") return;
    if (!word.starts_with("-Wp,")) return given.push_back(word);
    for (size_t begin = 4; begin <= word.size();) {
      const size_t end = std::min(word.find(',', begin), word.size());
      given.push_back(word.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  // `at` becomes the index of the operand, if that is a word of its own.
  bool translate_with_operand(const std::vector<std::string>& given, size_t& at) {
    const std::string& word = given[at];
    for (const WithOperand& option : kWithOperand) {
      if (!word.starts_with(option.name)) continue;
      const bool apart = word.size() == option.name.size();
      if (apart && at + 1 == given.size()) return true;  // the compiler would complain
      std::string operand = apart ? given[++at] : word.substr(option.name.size());
      std::error_code ignored;
      switch (option.operand) {
        case Operand::kDropped:
          return true;
        case Operand::kText:
          break;
        case Operand::kHeader:
          if (fs::exists(directory_ / operand, ignored)) operand = absolute(operand, directory_);
          break;
        case Operand::kPath:
          operand = absolute(operand, directory_);
          break;
      }
      const bool joined = option.name.size() == 2 || option.name.ends_with("=");
      if (!joined) result_.emplace_back(option.name);
      result_.push_back(joined ? std::string(option.name) + operand : operand);
      return true;
    }
    return false;
  }

  void translate(const std::string& word) {
    for (const std::string_view rejected : kRejectedWords)
      if (word.starts_with(rejected)) {
        const bool target = rejected.ends_with("target");
        throw InputError(
            source_, {{command_.pos,
                       fmt::format("{} is compiled with '{}', which is not supported", command_.file, word),
                       target ? "--target CPU, on the command line of Fenceline" : ""}});
      }
    const bool flag = word.starts_with("-f") || word.starts_with("-m");
    bool passed = flag && use_of_flag(word) == FlagUse::kPassed;
    for (const std::string_view begin : kPassedWords) passed = passed || word.starts_with(begin);
    if (passed) result_.push_back(word);
  }

  const SourceFile& source_;
  const BuildCommand& command_;
  const fs::path directory_;
  std::vector<std::string> result_;
};

}  // namespace

std::vector<BuildCommand> parse_compile_commands(const SourceFile& source) { return Reader(source).read(); }

std::vector<std::string> language_words(const SourceFile& source, const BuildCommand& command,
                                        const std::string& folder) {
  return Translation(source, command, folder).words();
}

std::vector<std::string> words_of_build(const std::string& folder, const std::string& file,
                                        InBuild in_build) {
  const SourceFile source = read_source_file((fs::path(folder) / "compile_commands.json").string());
  std::error_code ignored;
  const auto same = [&](const std::string& a, const std::string& b) {
    return a == b || fs::equivalent(a, b, ignored);
  };
  const std::string wanted = absolute(file, fs::current_path(ignored));
  for (const BuildCommand& command : parse_compile_commands(source))
    if (same(absolute(command.file, absolute(command.directory, folder)), wanted))
      return language_words(source, command, folder);
  if (in_build == InBuild::kOptional) return {};
  throw UsageError(fmt::format("{} does not say how {} is compiled", source.name, file));
}

}  // namespace fenceline::frontend::c
