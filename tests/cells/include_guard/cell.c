#ifndef GUARD_H
#define GUARD_H
struct once { int v; };
#endif
//---
#ifndef GUARD_H
#error "seen twice"
#endif
struct once o = { 3 };
o.v
