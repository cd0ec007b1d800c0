#define X 4
X + 1
#undef X
//---
#ifndef X
6
#endif
#define X 5
#pragma once
