// What models need of the sources, behind one entry: mutants are made by bundling it with one line changed.

export * from '../../../core/test/model/entry.ts';
export { lifoLockAt } from '../../src/lifo-lock.ts';
export { mcsLockAt } from '../../src/mcs-lock.ts';
export { reciprocatingLockAt } from '../../src/reciprocating-lock.ts';
export { ticketLockAt } from '../../src/ticket-lock.ts';
export { ttsLockAt } from '../../src/tts-lock.ts';
