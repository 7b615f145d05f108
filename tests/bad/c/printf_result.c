// error: not supported: what 'printf' returns
// line: 7
#include <assert.h>
#include <stdio.h>

int main(void) {
  if (printf("hi") == 2) assert(0);
  return 0;
}
