// An instance of the same rate limiter for another agent of this thread.

import type { Arena } from '@sluice/core';
import { expect } from 'vitest';
import { openAs, secondAgent } from '../../../../core/test/support/second-agent.ts';
import { RateLimiter, type RateLimiterHandle } from '../../../src/index.ts';

export { secondAgent as secondAgentOf };

export function attachAs(agent: Arena, handle: RateLimiterHandle): RateLimiter {
  return openAs(agent, handle.line, () => RateLimiter.from(asOf(agent.id, handle)));
}

/** Returns the handle with that arena id in all its parts. */
export function asOf(arena: string, { kind, line, alarm, bucket }: RateLimiterHandle): RateLimiterHandle {
  return { kind, line: { ...line, arena }, alarm: { ...alarm, arena }, bucket: { ...bucket, arena } };
}

/** Checks that no call waits and that no wait is left behind. Then frees the limiter. */
export function expectAtRest(limiter: RateLimiter): void {
  expect(limiter.inspect()).toMatchObject({ waiters: [], abandoned: 0 });
  expect(limiter.inspect().head).toBeUndefined();
  const { arena } = limiter;
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  limiter.free();
}
