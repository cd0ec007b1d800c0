#define PAIR(a, b) { a 1, b 2 }
int p[] = PAIR(-,);
p
