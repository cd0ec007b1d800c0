void who(void) { puts(__func__); puts(__FUNCTION__); }
who();
