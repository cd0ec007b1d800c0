_BitInt(37) big = -5; big
//---
struct { _BitInt(5) b; unsigned _BitInt(100) wide; } s = { -3, (unsigned _BitInt(100))1 << 99 }; s
