int n = 0;
top: ;
int step = 2;
n += step;
if (n < 5) goto top;
n
