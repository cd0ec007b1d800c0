enum { x, y, z };
//---
double x = 100.0;
//---
x + y
//---
typedef enum { RED, GREEN } color;
//---
int RED = 7; color c = GREEN; RED + c
//---
#define x(a) (a)
//---
z + x(x)
//---
class box { public: int v[z]; };
sizeof(box) + x
