class account { int held = 5; public: int value() const { return held; } };
int ask(const account &a) { return a.value(); }
account mine;
ask(mine)
//---
class account { int held = 5; int fee = 1; public: int value() const { return held - fee; } };
account other;
other.value()
//---
ask(other)
//---
int ask(const account &a) { return a.value(); }
ask(other)
//---
mine.value()
