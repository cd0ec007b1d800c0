#define ANSWER 42
ANSWER
//---
ANSWER + 1
