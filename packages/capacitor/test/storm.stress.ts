import { Capacitor, CapacitorLock, type CapacitorLockHandle, type CapacitorLockOptions } from '@sluice/capacitor';
import { Arena } from '@sluice/core';
import { shortOf, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { KINDS } from '../../classics/test/jobs/kinds.mjs';
import { COUNT, INSIDE, LOCK_WORDS, START, type Way } from '../../classics/test/jobs/visitor.mjs';
import { expectLockAtRest } from '../../classics/test/support/lock-at-rest.ts';
import { openGate, type AnyGate } from './jobs/gates.mjs';
import { openInner } from './jobs/inner-locks.mjs';
import { PLAIN_LOCK, storm, type StormData, type StormResult } from './jobs/storm.mjs';
import { expectGateAtRest } from './support/gate-at-rest.ts';

const jobs = new URL('./jobs/storm.mjs', import.meta.url);

interface Storm {
  /** The inner lock. Default: a third party's lock. */
  readonly inner?: keyof typeof KINDS;
  readonly options: CapacitorLockOptions;
  /** Whether the inner lock sometimes throws. */
  readonly moody?: boolean;
  readonly workers?: number;
  readonly rounds?: number;
  readonly ways?: readonly Way[];
  readonly tasks?: number;
  /** Whether the main thread takes part, in the ways that do not block. */
  readonly main?: boolean;
}

const ASYNC: readonly Way[] = ['async', 'async for', 'async, aborted', 'run async'];
const BLOCKING: readonly Way[] = ['lock', 'try', 'try for', 'try for', 'hurry', 'run'];
const ALL: readonly Way[] = [...BLOCKING, ...ASYNC];
const adaptive = { bypassLimit: 'adaptive' } as const;
const around = { skipWhenUncontended: true, fraction: 0.1 } as const;
const random = { bypassLimit: 5, lanes: { count: 4, order: 'random' } } as const;
const many = { workers: 2, tasks: 8, rounds: 80, ways: ASYNC, main: true } as const;
const third = { ways: BLOCKING, rounds: 1500 } as const;

const STORMS: readonly (readonly [what: string, storm: Storm])[] = [
  ['a TTS lock', { inner: 'TtsLock', options: {}, main: true }],
  ['a ticket lock, one at a time', { inner: 'TicketLock', options: { bypassLimit: 1 } }],
  ['an MCS lock that some agents bypass to', { inner: 'McsLock', options: { bypassLimit: 2, fraction: 0.3 } }],
  [
    'a LIFO lock, skipped when uncontended',
    { inner: 'LifoLock', options: { bypassLimit: 2, skipWhenUncontended: true } },
  ],
  [
    'a reciprocating lock, with four lanes',
    { inner: 'ReciprocatingLock', options: { bypassLimit: 6, lanes: 4 }, main: true },
  ],
  ['an MCS lock, with random lanes', { inner: 'McsLock', options: random }],
  ['a TTS lock, in turns', { inner: 'TtsLock', options: adaptive, main: true }],
  ['a LIFO lock, in turns, with some bypasses', { inner: 'LifoLock', options: { ...adaptive, ...around } }],
  [
    'a failing ticket lock, with two lanes',
    { inner: 'TicketLock', moody: true, options: { bypassLimit: 3, lanes: 2 } },
  ],
  ['a failing TTS lock, in turns', { inner: 'TtsLock', moody: true, options: adaptive }],
  ['a failing reciprocating lock', { inner: 'ReciprocatingLock', moody: true, options: { bypassLimit: 3, ...around } }],
  ["a third party's lock", { options: { bypassLimit: 4 }, ...third }],
  ["a third party's lock, in turns", { options: adaptive, ...third }],
  ["a third party's lock, with random lanes", { options: { ...random, ...around }, ...third }],
  ['a TTS lock and many tasks', { inner: 'TtsLock', options: { bypassLimit: 2 }, ...many }],
  ['a LIFO lock and many tasks, in turns', { inner: 'LifoLock', options: adaptive, ...many }],
  [
    'a failing MCS lock and many tasks',
    { inner: 'McsLock', moody: true, options: { bypassLimit: 2, lanes: 2 }, ...many },
  ],
];

function gatesOf({ gate }: CapacitorLockHandle): AnyGate[] {
  if (gate.kind === 'sluice.semaphore-capacitor') throw new Error('these locks have a gate of their own');
  return gate.kind === 'sluice.random-lanes' ? gate.lanes.map((lane) => Capacitor.from(lane)) : [openGate(gate)];
}

test.each(STORMS)('at most one worker is inside %s, and none stays at the capacitor', async (what, row) => {
  const { inner: kind, options, moody = false, workers = 6, rounds = 500, ways = ALL, tasks = 1, main = false } = row;
  const session = new Session(`before ${what}`);
  const arena = Arena.create({ maxPages: 64, policy: { buckets: 4 } });
  const words = new Int32Array(new SharedArrayBuffer(4 * LOCK_WORDS));
  const own = kind && KINDS[kind].create({ arena });
  const inner = openInner(own?.handle, moody, words, PLAIN_LOCK, session.random);
  const lock = CapacitorLock.create(inner, { ...options, arena });
  const gates = gatesOf(lock.handle);
  const data: StormData = {
    lock: lock.handle,
    inner: own?.handle,
    moody,
    words,
    rounds: shortOf(rounds),
    ways: [...ways],
    tasks,
  };

  const dump = (): unknown => ({
    gates: gates.map((gate) => gate.inspect()),
    inner: own?.inspect(),
    words: [...words],
  });
  const results = await withWorkers({ jobs, seed: session.seed, dump }, async (group) => {
    group.start<StormResult>(workers, storm.name, () => data);
    await group.said('ready');
    Atomics.store(words, START, 1);
    Atomics.notify(words, START);
    const mine = { index: workers, random: session.random, say: () => undefined, pause: () => Promise.resolve() };
    const part = { ...data, ways: [...ASYNC], tasks: 1, rounds: shortOf(100) };
    return [...(main ? [await storm(part, mine)] : []), ...(await group.results<StormResult>())];
  });

  const sum = (of: (result: StormResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  const entered = sum((result) => result.entered);
  const moods = sum((result) => result.moods);
  const details = [
    `${entered} were inside`,
    `${sum(({ gaveUp }) => gaveUp)} timed out`,
    ...(moody ? [`${moods} failures`] : []),
  ];
  session.done(
    sum(({ calls }) => calls),
    details.join(', '),
  );
  expect([words[COUNT], words[INSIDE], words[PLAIN_LOCK]]).toEqual([entered, 0, 0]);
  expect(moods > 0).toBe(moody);
  for (const gate of gates) expectGateAtRest(arena, gate);
  lock.free();
  if (own !== undefined) expectLockAtRest(arena, own);
  own?.free();
  expect(arena.inspect().blocks.filter((block) => ['lock', 'capacitor'].includes(block.kind))).toEqual([]);
});
