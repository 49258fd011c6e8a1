self.double = (n) => 2 * n;
