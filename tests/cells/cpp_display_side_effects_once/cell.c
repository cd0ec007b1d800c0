int calls = 0;
struct noisy { int n; noisy(int n) : n(n) { calls++; } noisy(const noisy &o) : n(o.n) { calls += 100; } };
noisy make(int n) { return noisy(n); }
make(5)
//---
calls
//---
noisy kept(3);
kept
//---
calls
//---
std::move(kept)
//---
calls
