1 ? "yes" : "no"
//---
puts("side"), 5
