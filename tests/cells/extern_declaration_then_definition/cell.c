extern int shared;
int get(void) { return shared; }
int shared = 11;
get()
