%%cpp
#include <string>
std::string kind(double) { return "double"; }
std::string of_one() { return kind(1); }
kind(1)
//---
std::string kind(int) { return "int"; }
kind(1) + " " + kind(1.0) + " " + of_one()
//---
std::string of_one() { return kind(1); }
of_one()
