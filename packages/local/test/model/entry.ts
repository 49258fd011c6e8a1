// The entry of the model. A mutant is this entry bundled with one line changed.

export * from '../../src/folder/claim.ts';
export { Server } from '../../src/server/server.ts';
