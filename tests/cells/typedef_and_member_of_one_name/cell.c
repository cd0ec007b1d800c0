typedef int size;
struct box { size size; } b = { 6 };
b.size
