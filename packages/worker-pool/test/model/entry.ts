// The entry of the models of the pool. A mutant is this entry bundled with one line changed.

export * from '../../../core/test/model/entry.ts';
export { WakeMessage } from '../../src/shared/wake-message.ts';
export { Claims } from '../../src/shared/claims.ts';
export { PoolEventCount } from '../../src/shared/event-count.ts';
export { Leadership } from '../../src/shared/leadership.ts';
