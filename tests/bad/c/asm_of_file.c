// error: assembly outside of functions
// line: 4
// SPDX-License-Identifier: GPL-3.0-or-later
__asm__(".globl somewhere\nsomewhere: ret");

int main(void) { return 0; }
