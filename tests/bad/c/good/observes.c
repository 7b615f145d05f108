// SPDX-License-Identifier: GPL-3.0-or-later
void fl_observe(const char *, long);

int counter;

void get(int *counter, int *value) {
  *value = *counter;
  fl_observe("value", *value);
}
