enum level { LOW, HIGH = 10 };
(enum level)10
//---
(enum level)4
