#error this cell is not ready
