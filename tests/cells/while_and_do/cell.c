int n = 3;
while (n) n--;
do n++; while (n < 4);
n
