// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the JSON results of all commands begin and end with. Keys keep their order, so that two results can be compared
// with diff.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "report/report.h"

namespace fenceline::report {

using Json = nlohmann::ordered_json;

// With `results` as an empty array.
Json new_json_document(std::string_view version);

// The text, with the failure that ended the program early, if any.
std::string finished(Json document, const std::optional<JsonFailure>& failure);

}  // namespace fenceline::report
