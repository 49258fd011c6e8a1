/** What both accounts of the ledger hold together, whenever its mutex is free. */
export const TOTAL = 1000;

/** What a worker does: nothing, between the two writes of a move, or there to be terminated. */
export const RESTS = 0;
export const MOVES = 1;
export const TRAPPED = 2;
