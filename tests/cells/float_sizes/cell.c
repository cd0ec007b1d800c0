sizeof(float) * 10000 + sizeof(double) * 1000 + sizeof(long double)
