struct box { int n = 0; int get() { return n; } };
int read(const box &b) { return b.get(); }
//---
struct meter { int n = 0; void up() const { n++; } };
