struct { int hits, misses; } cache = { 3, 1 };
//---
cache.hits++;
cache
