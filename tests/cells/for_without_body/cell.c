int n = 0;
for (; n < 5; n++);
n
