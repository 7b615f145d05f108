// error: this architecture is not for us
// line: 4
// SPDX-License-Identifier: GPL-3.0-or-later
#error "this architecture is not for us"

int main(void) { return 0; }
