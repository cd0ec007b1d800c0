int sum = 0;
for (int i = 0, j = 10; i < j; i++, j--) sum += j - i;
sum
