int r;
__builtin_add_overflow(INT_MAX, 1, &r)
