// Tests the cycles that the report of a namespace shows.

import { expect, test } from 'vitest';
import { cyclesOf } from '../src/report/session-cycles.ts';
import type { RemoteUse } from '../src/report/remote-use.ts';

/** A mutex `name` that `holder` holds and `waiters` wait for. Each session is named by a letter. */
function mutex(name: string, holder: string, waiters: string): RemoteUse {
  const participant = (session: string): { session: string; label: string; permits: number } => ({
    session,
    label: session.toUpperCase(),
    permits: 1,
  });
  return {
    kind: 'Mutex',
    name,
    holders: Array.from(holder, (session) => ({ ...participant(session), heldFor: 1 })),
    waiters: Array.from(waiters, participant),
  };
}

const shown = (...primitives: RemoteUse[]): string[] =>
  cyclesOf(primitives).map((cycle) =>
    cycle.map(({ session, waitsFor, heldBy }) => `${session} ${waitsFor.name} ${heldBy}`).join(', '),
  );

test('sessions that wait in a line without a cycle are none', () => {
  expect(shown(mutex('x', 'a', 'bc'), mutex('y', 'b', 'c'))).toEqual([]);
});

test('a session that waits for what it holds itself is no cycle', () => {
  expect(shown(mutex('x', 'a', 'a'))).toEqual([]);
});

test('two sessions that hold a slot each of the limit for which they wait are no cycle', () => {
  expect(shown(mutex('limit', 'ab', 'ab'))).toEqual([]);
});

test('two sessions that wait for each other are a cycle, shown once', () => {
  expect(shown(mutex('x', 'a', 'b'), mutex('y', 'b', 'a'))).toEqual(['a y b, b x a']);
});

test('a cycle of three is found behind a session that only leads to it', () => {
  expect(shown(mutex('w', 'b', 'a'), mutex('x', 'b', 'd'), mutex('y', 'c', 'b'), mutex('z', 'd', 'c'))).toEqual([
    'b y c, c z d, d x b',
  ]);
});

test('a shortest cycle through each session is shown', () => {
  expect(shown(mutex('x', 'b', 'a'), mutex('y', 'c', 'b'), mutex('z', 'a', 'c'), mutex('short', 'a', 'b'))).toEqual([
    'a x b, b short a',
    'c z a, a x b, b y c',
  ]);
});

test('each holder of a semaphore is a possible next session', () => {
  expect(shown(mutex('pool', 'bc', 'a'), mutex('y', 'a', 'c'))).toEqual(['a pool c, c y a']);
});

test('two cycles without a common session are both shown', () => {
  expect(shown(mutex('x', 'a', 'b'), mutex('y', 'b', 'a'), mutex('v', 'c', 'd'), mutex('w', 'd', 'c'))).toEqual([
    'a y b, b x a',
    'c w d, d v c',
  ]);
});
