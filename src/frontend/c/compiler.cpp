// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "env/errors.h"
#include "frontend/c/flags.h"
#include "frontend/c/headers.h"
#include "frontend/c/process.h"
#include "frontend/c/target.h"

namespace fenceline::frontend::c {
namespace {

constexpr const char* kClang = "clang-19";
constexpr double kLongest = 120;  // seconds
constexpr uint64_t kLeastMemory = uint64_t{100} << 20;

struct Complaint {
  std::string file;
  Diagnostic diagnostic;
};

// "file:line:column: error: message", as Clang writes it.
std::optional<Complaint> complaint_of(std::string_view line) {
  for (const std::string_view kind : {": fatal error: ", ": error: "}) {
    const size_t end = line.find(kind);
    if (end == std::string_view::npos) continue;
    std::string_view position = line.substr(0, end);
    uint32_t numbers[2] = {0, 0};
    for (uint32_t& number : numbers) {
      const size_t colon = position.rfind(':');
      if (colon == std::string_view::npos) break;
      const std::string_view digits = position.substr(colon + 1);
      const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (error != std::errc() || stop != digits.data() + digits.size()) break;
      position = position.substr(0, colon);
    }
    return Complaint{plain_path(std::string(position)),
                     {{numbers[1], numbers[0]}, std::string(line.substr(end + kind.size())), ""}};
  }
  return std::nullopt;
}

std::vector<Complaint> complaints_in(const std::string& errors) {
  std::vector<Complaint> complaints;
  for (size_t begin = 0; begin < errors.size();) {
    const size_t end = std::min(errors.find('\n', begin), errors.size());
    if (auto complaint = complaint_of(std::string_view(errors).substr(begin, end - begin)))
      complaints.push_back(std::move(*complaint));
    begin = end + 1;
  }
  return complaints;
}

// Does nothing if the program is compiled for this machine.
void explain_target(const CompilerInput& input, const CompilerOptions& options, const std::string& errors) {
  if (options.target == Processor::kAny) return;
  std::string why = "the compiler failed", package;
  for (const Complaint& complaint : complaints_in(errors)) {
    const SourcePos pos = complaint.diagnostic.pos;
    const std::string& message = complaint.diagnostic.message;
    why = pos.known() ? fmt::format("{}:{}:{}: {}", complaint.file, pos.line, pos.column, message) : message;
    if (message.ends_with("file not found")) package = missing_package(options.target, input.language);
    break;
  }
  if (!package.empty())
    why += fmt::format(" (headers for {} are not installed: in Debian the package {})",
                       target_name(options.target), package);
  if (!options.target_required) throw NotForTarget(options.target, why);
  if (!package.empty()) throw Unavailable(why);
}

// The messages about the first file that has any.
[[noreturn]] void complain(const std::string& name, const std::string& errors) {
  const std::vector<Complaint> complaints = complaints_in(errors);
  if (complaints.empty())
    throw InputError({name, ""}, {{{}, "the compiler failed: " + errors.substr(0, 300), ""}});
  SourceFile file{complaints.front().file, ""};
  if (file.name.empty() || file.name == "<stdin>" || file.name == kClang) file.name = name;
  try {
    file = read_source_file(file.name);
  } catch (const NoSuchFile&) {
  }
  std::vector<Diagnostic> diagnostics;
  for (const Complaint& complaint : complaints)
    if (complaint.file == complaints.front().file) diagnostics.push_back(complaint.diagnostic);
  throw InputError(file, std::move(diagnostics));
}

// A name that the compiler takes for nothing but a path: options begin with -, and lists of them with @.
std::string as_path(const std::string& path) {
  return path.starts_with("/") || path.starts_with("./") ? path : "./" + path;
}

void add_flags(const std::vector<std::string>& flags, std::vector<std::string>& command) {
  for (const std::string& flag : flags) {
    if (!is_flag(flag) || use_of_flag(flag) == FlagUse::kRejected)
      throw UsageError(
          fmt::format("the compiler flag '{}' is not supported: it is not about the language, or it "
                      "would add code to the program, write files or load a plug-in",
                      flag));
    if (use_of_flag(flag) == FlagUse::kPassed) command.push_back(flag);
  }
}

// Did the compiler terminate normally, with or without errors in the program?
void require_sound(const Finished& finished, const std::string& name, double seconds) {
  const auto prints = [&](std::string_view words) { return finished.err.find(words) != std::string::npos; };
  if (finished.too_long)
    throw Unsupported(fmt::format("{}: the compiler did not finish within {} s", name, seconds));
  if (!finished.started)
    throw Unavailable(
        fmt::format("{}: C and C++ files need the compiler {}, which is not installed", name, kClang));
  if (prints("out of memory")) throw Unsupported(fmt::format("{}: the compiler needs too much memory", name));
  const bool crashed = finished.signal != 0 || finished.status > 1 || prints("PLEASE submit a bug report") ||
                       prints("frontend command failed");
  if (crashed)
    throw Unavailable(fmt::format("{}: {} has crashed ({}):\n{}", name, kClang,
                                  finished.signal != 0 ? fmt::format("signal {}", finished.signal)
                                                       : fmt::format("status {}", finished.status),
                                  finished.err.substr(0, 1000)));
}

}  // namespace

std::optional<Language> language_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".c") return Language::kC;
  for (const char* cpp : {".cc", ".cpp", ".cxx", ".C"})
    if (extension == cpp) return Language::kCpp;
  return std::nullopt;
}

std::string plain_path(const std::string& path) { return path.starts_with("./") ? path.substr(2) : path; }

std::string compile_to_bitcode(const CompilerInput& input, const CompilerOptions& options) {
  if (options.memory != 0 && options.memory < kLeastMemory)
    throw Unsupported(fmt::format("{}: the memory limit leaves {} MB for the compiler, and it needs {}",
                                  input.name, options.memory >> 20, kLeastMemory >> 20));
  const TemporaryFolder folder;
  for (const EmbeddedText& header : own_headers())
    folder.write(std::string(header.name), std::string(header.text));
  const bool cpp = input.language == Language::kCpp;
  // What C leaves undefined is not taken for what never happens: hence -fwrapv and the two behind it.
  std::vector<std::string> command = {kClang, "-x", cpp ? "c++" : "c", cpp ? "-std=gnu++20" : "-std=gnu17"};
  const auto append = [&](const std::vector<std::string>& words) {
    command.insert(command.end(), words.begin(), words.end());
  };
  append(options.words);
  if (!options.standard.empty()) command.push_back("-std=" + options.standard);
  add_flags(options.flags, command);
  // Ours come later, so they win.
  append(target_words(options.target, input.language));
  command.insert(
      command.end(),
      {"-O0", "-Xclang", "-disable-O0-optnone",
       // Where variables begin and end; all that this one does at -O0.
       "-Xclang", "-fsanitize-address-use-after-scope", "-g", "-gdwarf-4", "-gcolumn-info",
       "-fstandalone-debug",  // all types, for the names of members
       "-fno-discard-value-names", "-emit-llvm", "-c", "-w", "-fno-caret-diagnostics",
       "-fno-color-diagnostics", "-ferror-limit=20",
       "-fno-crash-diagnostics",  // it would leave files behind

       "-fno-stack-protector", "-fwrapv", "-fno-delete-null-pointer-checks", "-fno-finite-loops",
       "-D__FENCELINE__=1", "-DFL_RETRY=1",
       // It only acquires, as GCC documents; Clang would make it seq_cst.
       "-D__sync_lock_test_and_set(location,value,...)=__atomic_exchange_n(location,value,__ATOMIC_ACQUIRE)",
       "-I", folder.path()});
  for (const std::string& define : options.defines)
    if (!define.empty()) command.push_back("-D" + define);  // else it would take the next word
  for (const std::string& name : options.undefines) command.push_back("-U" + name);
  for (const std::string& include : options.include_folders)
    command.insert(command.end(), {"-I", as_path(include)});
  for (const std::string& file : options.include_files) command.insert(command.end(), {"-include", file});
  command.insert(command.end(), {"-o", "-", input.text ? "-" : as_path(input.name)});
  const double seconds = options.timeout > 0 ? std::min(options.timeout, kLongest) : kLongest;
  Finished finished = run_program(command, input.text.value_or(""), seconds);
  require_sound(finished, input.name, seconds);
  if (finished.status != 0) {
    explain_target(input, options, finished.err);
    complain(input.name, finished.err);
  }
  return std::move(finished.out);
}

}  // namespace fenceline::frontend::c
