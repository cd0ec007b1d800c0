const int limit = 10;
//---
limit * 2
//---
limit = 5;
