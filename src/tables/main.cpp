// SPDX-License-Identifier: GPL-3.0-or-later
//
// fenceline-bench: takes the words behind `fenceline bench`, which starts it.
#include <string>
#include <vector>

#include "app/run_program.h"
#include "tables/tables_command.h"

int main(int argc, char** argv) {
  std::vector<std::string> words = {"bench"};
  words.insert(words.end(), argv + (argc > 0 ? 1 : 0), argv + argc);
  return fenceline::app::run_program(words, fenceline::tables::tables_command);
}
