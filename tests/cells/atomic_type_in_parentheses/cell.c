_Atomic(long) big = 1L << 40;
big += 1;
big
