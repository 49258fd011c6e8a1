/** What both accounts of the ledger hold together, whenever its mutex is free. */
export const TOTAL = 1000;
