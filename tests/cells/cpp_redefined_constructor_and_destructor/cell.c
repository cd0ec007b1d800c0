#include <cstdio>
struct loud { int id; loud(int id); ~loud(); };
loud::loud(int id) : id(id) { printf("+%d,", id); }
loud::~loud() { printf("-%d,", id); }
{ loud a(1); }
loud kept(2);
//---
loud::~loud() { printf("gone%d,", id); }
{ loud b(3); }
loud kept(4);
