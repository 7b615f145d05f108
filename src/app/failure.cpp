// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/failure.h"

#include <fmt/format.h>

#include <exception>
#include <new>

#include "app/output.h"
#include "env/errors.h"

namespace fenceline::app {

Failure failure_at_hand() {
  try {
    throw;
  } catch (const UsageError& error) {
    return {kExitUsage, fmt::format("fenceline: {}\nSee `fenceline --help`.\n", error.what())};
  } catch (const InputError& error) {
    return {kExitInput, error.what()};
  } catch (const NoSuchFile& error) {
    return {kExitNoSuchFile, fmt::format("fenceline: {}\n", error.what())};
  } catch (const Unavailable& error) {
    return {kExitUnavailable, fmt::format("fenceline: {}\n", error.what())};
  } catch (const Unsupported& error) {
    return {kExitUnknown, fmt::format("fenceline: not supported: {}\n", error.what())};
  } catch (const std::bad_alloc&) {
    return {kExitUnknown, "fenceline: memory ran out\n"};
  } catch (const std::exception& error) {
    return {kExitBug, fmt::format("fenceline: this is a bug: {}\n"
                                  "No verdict can be given. Please report it with the input, the options and "
                                  "`fenceline --version`.\n",
                                  error.what())};
  }
}

int explain_failure() {
  const Failure failure = failure_at_hand();
  print_error(failure.message);
  return failure.status;
}

}  // namespace fenceline::app
