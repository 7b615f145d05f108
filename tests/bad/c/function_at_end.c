// error: a function that runs when the program ends
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
int x;

__attribute__((destructor)) static void last(void) { x = 1; }

int main(void) { return 0; }
