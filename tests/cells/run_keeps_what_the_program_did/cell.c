int count;
int main(void) { count++; exit(count > 1); }
//---
%run
//---
%run
//---
count
