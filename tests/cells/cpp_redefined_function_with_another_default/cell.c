int step(int by = 1) { return by; }
int two_steps() { return step() + step(); }
two_steps() + step()
//---
int step(int by = 5) { return by; }
//---
two_steps() * 100 + step()
