// Tests when a walk counts as endless.

import { expect, test } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { checkWalk, type WalkCheck } from '../src/memory/corrupt.ts';
import { Arena, CorruptArenaError } from '../src/index.ts';
import { AGENT_CHAIN, AGENT_DUTY_KIND, AGENT_SPARE, KIND_AREA } from '../src/kernel/layout.ts';

/** Returns the number of equal checks in a row until one throws. */
function looksUntilEndless(chain: boolean): number {
  const context = contextOf(Arena.create({ maxPages: 8 }));
  const { words, agent } = context;
  context.refill();
  words.put32(agent + AGENT_DUTY_KIND, 1);
  if (chain) words.put32(agent + KIND_AREA + AGENT_CHAIN, words.get32(agent + AGENT_SPARE));
  let before: WalkCheck | undefined;
  for (let looks = 1; looks < 1000; looks++) {
    try {
      before = checkWalk(words, agent, before);
    } catch (failure) {
      expect(failure).toBeInstanceOf(CorruptArenaError);
      return looks;
    }
  }
  return Infinity;
}

// While other agents arrive and cancel, a walk may visit a chain of thousands of waiters repeatedly and find the same
// head twice.
test('a walk that holds a chain of waiters counts as endless only after many equal checks', () => {
  expect(looksUntilEndless(true)).toBeGreaterThan(32);
  expect(looksUntilEndless(true)).toBeLessThan(1000);
});

test('a walk that holds only its own counters counts as endless after two equal checks', () => {
  expect(looksUntilEndless(false)).toBe(2);
});
