import { expect } from 'vitest';
import { handleSuite } from '../../core/test/support/handle-suite.ts';
import { SEQ_LOCK } from './misuse/seq-lock.ts';

handleSuite(SEQ_LOCK, 'sluice.seq-lock', (one, other) => {
  let isSeen = false;
  // The function throws, so that the value stays as before.
  const look = (): never => {
    isSeen = other.inspect().owner === one.arena.agentId;
    throw new RangeError('seen');
  };
  expect(() => one.update(look)).toThrow(RangeError);
  return isSeen;
});
