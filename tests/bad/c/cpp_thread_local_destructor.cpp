// error: a destructor that runs when a thread ends
// SPDX-License-Identifier: GPL-3.0-or-later
int gone;

struct Counted {
  ~Counted() { ++gone; }
};

int main() {
  thread_local Counted counted;
  return 0;
}
