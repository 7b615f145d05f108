// error: an exception that is caught, and whose destructor ('Counted::~Counted()') has effects
// line: 12
// SPDX-License-Identifier: GPL-3.0-or-later
int gone;

struct Counted {
  ~Counted() { ++gone; }
};

int main() {
  try {
    throw Counted();
  } catch (Counted&) {
    return 0;
  }
  return 1;
}
