__builtin_choose_expr(sizeof(long) == 8, 64, "no")
