#include <chrono>
using namespace std::chrono_literals;
1500ms
//---
std::chrono::duration_cast<std::chrono::seconds>(2h)
//---
90min + 1s
//---
std::chrono::duration<double>(0.25)
//---
(2h).count()
