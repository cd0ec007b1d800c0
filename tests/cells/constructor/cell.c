int ready;
__attribute__((constructor)) void prepare(void) { ready = 7; puts("prepared"); }
printf("%d\n", ready);
