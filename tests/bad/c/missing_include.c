// error: 'no_such_file.h' file not found
// line: 4
// SPDX-License-Identifier: GPL-3.0-or-later
#include "no_such_file.h"

int main(void) { return 0; }
