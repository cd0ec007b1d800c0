int bom = 1; bom
