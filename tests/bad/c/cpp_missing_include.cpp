// error: 'no_such_header' file not found
// line: 4
// SPDX-License-Identifier: GPL-3.0-or-later
#include <no_such_header>

int main() { return 0; }
