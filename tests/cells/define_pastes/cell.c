#define VAR(n) var_##n
int VAR(1) = 4, VAR(two) = 5;
var_1 * VAR(two)
