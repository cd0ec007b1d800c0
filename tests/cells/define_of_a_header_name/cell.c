#define M_PI 3
#define MIN(a, b) ((a) < (b) ? (a) : (b))
MIN(M_PI, 4)
