struct later;
struct first { struct later *next; };
struct later { int v; };
struct later l = { 8 }; struct first f = { &l };
f.next->v
