// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models.h"

#include "env/source.h"
#include "model/cat/cat.h"

namespace fenceline::app {

const MemoryModel& Models::get(const std::string& name) {
  const MemoryModel& model = named(name);
  return races_ == Races::kIgnored && has_axioms(model) ? without_races(model) : model;
}

const MemoryModel& Models::without_races(const MemoryModel& model) {
  for (const FromFile& known : without_races_)
    if (known.path == model.name) return known.model;
  CatModel axioms = axioms_of(model);
  const auto reports_race = [](const Constraint& one) { return one.flag && one.name == "race"; };
  if (std::erase_if(axioms.constraints, reports_race) == 0) return model;
  FromFile& made = without_races_.emplace_back();
  made.path = model.name;
  made.axioms = std::move(axioms);
  made.model = model;
  made.model.name = made.path;
  made.model.cat = &made.axioms;
  return made.model;
}

const MemoryModel& Models::named(const std::string& name) {
  const bool table = name.ends_with(".table");
  if (!name.ends_with(".cat") && !table) return memory_model(name);
  for (const FromFile& file : files_)
    if (file.path == name) return file.model;
  FromFile& file = files_.emplace_back();
  file.path = name;
  if (table) {
    file.table = parse_table(read_source_file(name));
    file.model = {.name = file.path,
                  .summary = file.table.title,
                  .buffering = Buffering::kNoMachine,
                  .table = &file.table};
    return file.model;
  }
  file.axioms = load_cat(read_source_file(name), {folders_});
  file.model = {.name = file.path,
                .summary = file.axioms.name,
                .buffering = Buffering::kNoMachine,
                .scheme = scheme_for(file.axioms),
                .cat = &file.axioms};
  return file.model;
}

}  // namespace fenceline::app
