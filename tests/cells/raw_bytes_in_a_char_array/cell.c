char bytes[] = { 'o', 'k', 0, 'x' };
sizeof bytes
//---
bytes
