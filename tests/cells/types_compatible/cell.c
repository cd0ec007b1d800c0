__builtin_types_compatible_p(int[], int[5]) + __builtin_types_compatible_p(int, long)
