__int128 big = (__int128)1 << 100;
(long)(big >> 90)
