typedef unsigned int word; typedef unsigned int word;
//---
typedef unsigned int word;
(word)-1
