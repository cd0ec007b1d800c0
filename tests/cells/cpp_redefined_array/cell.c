int primes[] = { 2, 3, 5 };
int sum() { int s = 0; for (int p : primes) s += p; return s; }
sum()
//---
int primes[] = { 7, 11, 13 };
sum()
//---
int primes[] = { 2, 3, 5, 7, 11 };
int all = 0; for (int p : primes) all += p;
all
//---
sum()
