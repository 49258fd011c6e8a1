// The entry of the models of the pool. A mutant is this entry bundled with one line changed.

export * from '../../../core/test/model/entry.ts';
export { WakeMessage } from '../../src/wake-message.ts';
export { Claims } from '../../src/claims.ts';
export { PoolEventCount } from '../../src/event-count.ts';
export { Leadership } from '../../src/leadership.ts';
