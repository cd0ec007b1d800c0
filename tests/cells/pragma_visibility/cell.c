#pragma GCC visibility push(hidden)
int hidden_f(void) { return 4; }
int hidden_v = 3;
__attribute__((visibility("hidden"))) int other(void) { return hidden_f() * 100; }
//---
int after = 5;
int after_f(void) { return hidden_f(); }
//---
#pragma GCC visibility pop
int hidden_f(void) { return 6; }
hidden_f() + hidden_v + after + after_f() + other()
