#include <stdexcept>
struct own_error : std::runtime_error { using runtime_error::runtime_error; };
int depth(int n) { if (n == 0) throw own_error("too deep"); return depth(n - 1) + 1; }
//---
depth(2)
//---
try { depth(1); } catch (const std::exception &e) { puts(e.what()); }
//---
struct loud { ~loud() { puts("unwound"); } };
try { loud l; depth(0); } catch (...) { puts("caught"); throw; }
