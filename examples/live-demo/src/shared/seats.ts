// What a philosopher does.

export const THINKS = 0;
export const HUNGRY = 1;
export const EATS = 2;
