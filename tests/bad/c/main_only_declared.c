// error: no function 'main'
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void);
int x;
