#pragma GCC diagnostic ignored "-Wparentheses"
int x = 1;
if (x = 2) puts("assigned");
