volatile sig_atomic_t got;
void on(int s) { got = s; }
signal(SIGUSR2, on);
raise(SIGUSR2);
got == SIGUSR2
