int n = 0;
again:
n++;
if (n < 3) goto again;
n
