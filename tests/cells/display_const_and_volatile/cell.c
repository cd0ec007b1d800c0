const volatile int cv = 6;
cv
