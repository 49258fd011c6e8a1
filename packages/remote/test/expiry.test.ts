// Tests that what has expired leaves the memory of an engine that keeps a state in memory.

import { expect, test } from 'vitest';
import { emptyState, Expiry, runStep, shapeOf } from '../src/steps.ts';

test('values and rates of 1,000 keys leave the state when they expire, and the keys in use stay', () => {
  const state = emptyState();
  const run = (us: number, ...words: (string | number)[]): string[] => {
    const shaped = shapeOf(words);
    if (typeof shaped === 'string') throw new Error(shaped);
    return runStep(state, () => undefined, us, 'owner', shaped);
  };
  run(1, 'attach', 's1', 1, 10_000, '', '');
  run(1, 'acquire', 's1', 1, 'm:lock', 1, 1, 1, 1, '0 0 0 0');
  for (let key = 0; key < 500; key++) {
    run(1, 'put', 's1', 1, `v:1:c:${key}`, 1, 1, 'value');
    run(1, 'draw', 's1', 1, `y:1:r:${key}`, 1, 1, '0 16000 0 1');
  }
  run(1, 'put', 's1', 1, 'v:1:c:long', 1_000_000, 0, 'value');
  expect(state.lines.size).toBe(1002);
  const expiry = new Expiry(state);
  expiry.sweep(1, 2000);
  expect(state.lines.size).toBe(1002);
  for (let turn = 0; turn < 4; turn++) expiry.sweep(1_100_000, 300);
  expect([...state.lines.keys()]).toEqual(['m:lock', 'v:1:c:long']);
});
