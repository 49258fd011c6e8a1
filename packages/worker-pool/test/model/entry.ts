// The sources that models use, as one entry: a mutant is a bundle of it with one edit.

export * from '../../../core/test/model/entry.ts';
export { Claims } from '../../src/claims.ts';
export { EventCount } from '../../src/event-count.ts';
export { Leadership } from '../../src/leadership.ts';
