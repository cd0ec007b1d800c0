__builtin_popcount(255) + __builtin_clz(1) + __builtin_expect(3, 3)
