int größe = 3, été = 4;
größe * été
