int count;
int main(void) { count = 9; abort(); }
//---
%run
//---
count
