goto nowhere;
