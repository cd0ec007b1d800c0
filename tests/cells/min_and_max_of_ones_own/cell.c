#define max(a, b) ((a) > (b) ? (a) : (b))
int min(int a, int b) { return a < b ? a : b; }
max(3, 4) * 10 + min(3, 4)
