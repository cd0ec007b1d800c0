static int hidden = 3;
//---
hidden++;
hidden
