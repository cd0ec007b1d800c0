#include <string>
std::string show(int x) { return "int " + std::to_string(x); }
std::string show(double) { return "double"; }
std::string show(const char *s) { return s; }
std::string all() { return show(1) + ", " + show(2.0) + ", " + show("text"); }
all()
//---
std::string show(double x) { return std::to_string(x); }
all()
//---
std::string show(const char *s) { return std::string(s) + "!"; }
std::string show(bool) { return "bool"; }
all() + " " + show(true)
