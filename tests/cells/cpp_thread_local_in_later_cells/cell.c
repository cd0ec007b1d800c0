#include <thread>
#include <string>
thread_local int mine = 3;
thread_local std::string name = "first";
mine += 4;
mine
//---
int other = 0;
std::thread([] { mine++; name += "!"; other = mine; }).join();
other * 10 + mine
//---
name += " thread";
name
//---
thread_local int mine = 50;
int get() { return mine; }
get()
//---
thread_local double mine = 0.5;
mine * 3
