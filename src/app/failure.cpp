// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/failure.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "app/exit_status.h"
#include "env/errors.h"

namespace fenceline {
namespace {

int say(ExitStatus status, const std::string& text) {
  std::fputs(text.c_str(), stderr);
  return status;
}

}  // namespace

int explain_failure() {
  try {
    throw;
  } catch (const UsageError& error) {
    return say(kExitUsage, fmt::format("fenceline: {}\nSee `fenceline --help`.\n", error.what()));
  } catch (const InputError& error) {
    return say(kExitInput, error.what());
  } catch (const NoSuchFile& error) {
    return say(kExitNoSuchFile, fmt::format("fenceline: {}\n", error.what()));
  } catch (const Unsupported& error) {
    return say(kExitUnknown, fmt::format("fenceline: not supported: {}\n", error.what()));
  } catch (const std::bad_alloc&) {
    return say(kExitUnknown, "fenceline: memory ran out\n");
  } catch (const std::exception& error) {
    return say(kExitBug,
               fmt::format("fenceline: this is a bug: {}\n"
                           "No verdict can be given. Please report it with the input, the options and "
                           "`fenceline --version`.\n",
                           error.what()));
  }
}

}  // namespace fenceline
