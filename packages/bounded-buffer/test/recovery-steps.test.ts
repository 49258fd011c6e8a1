// An agent dies before each of its steps, writes and wake-ups. The others continue with all values and room that are
// theirs.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { Death } from '../../core/test/support/crash.ts';
import { expectQuiet } from './support/rest.ts';
import { Scene, SCENES, type Member, type Wait } from './support/scene.ts';

const LATER = { ref: false } as const;
const THEIRS = 100;

interface Play {
  readonly name: string;
  readonly capacity: number;
  /** Values that the first agent pushed before, in this order. */
  readonly inside: readonly number[];
  /** The waits of the others meanwhile. */
  readonly others: (members: readonly Member[]) => readonly Promise<unknown>[];
  readonly act: (victim: Member, scene: Scene) => unknown;
  readonly closes?: true;
  /** The number of values in the buffer. */
  readonly takes?: number;
}

/** Runs as the victim while the event loop turns. */
async function waitsUntil(call: Promise<unknown>, { world }: Scene, serve: () => unknown): Promise<void> {
  call.catch(() => undefined);
  await world.settle();
  serve();
  await world.settle();
}

const noOthers = (): readonly Promise<unknown>[] => [];

const PLAYS: readonly Play[] = [
  { name: 'push', capacity: 3, inside: [1], others: noOthers, act: ({ buffer }) => buffer.push(THEIRS) },
  { name: 'pop', capacity: 3, inside: [1, 2], others: noOthers, act: ({ buffer }) => buffer.pop(), takes: 1 },
  {
    name: 'pushMany',
    capacity: 4,
    inside: [1],
    others: noOthers,
    act: ({ buffer }) => buffer.pushMany([THEIRS, THEIRS + 1]),
  },
  {
    name: 'popMany',
    capacity: 4,
    inside: [1, 2, 3],
    others: noOthers,
    act: ({ buffer }) => buffer.popMany(2),
    takes: 2,
  },
  {
    name: 'push to waiting consumers',
    capacity: 2,
    inside: [],
    others: (members) => members.map(({ buffer }) => buffer.popAsync(LATER)),
    act: ({ buffer }) => buffer.pushMany([THEIRS, THEIRS + 1]),
  },
  {
    name: 'pop before waiting producers',
    capacity: 2,
    inside: [1, 2],
    others: (members) => members.map(({ buffer }, index) => buffer.pushAsync(10 + index, LATER)),
    act: ({ buffer }) => buffer.popMany(),
    takes: 2,
  },
  {
    name: 'wait for a value',
    capacity: 2,
    inside: [],
    others: noOthers,
    act: ({ buffer }) => void buffer.popAsync(LATER).catch(() => undefined),
  },
  {
    name: 'wait for room',
    capacity: 1,
    inside: [1],
    others: noOthers,
    act: ({ buffer }) => void buffer.pushAsync(THEIRS, LATER).catch(() => undefined),
  },
  { name: 'a wait that times out', capacity: 2, inside: [], others: noOthers, act: ({ buffer }) => buffer.tryPop(5) },
  {
    name: 'close a full one',
    capacity: 1,
    inside: [1],
    others: (members) => members.map(({ buffer }, index) => buffer.pushAsync(10 + index, LATER)),
    act: ({ buffer }) => buffer.close(),
    closes: true,
  },
  {
    name: 'close an empty one',
    capacity: 2,
    inside: [],
    others: (members) => members.map(({ buffer }) => buffer.popAsync(LATER)),
    act: ({ buffer }) => buffer.close(),
    closes: true,
  },
  {
    name: 'a value comes to a waiter',
    capacity: 2,
    inside: [],
    others: noOthers,
    act: ({ buffer }, scene) => waitsUntil(buffer.popAsync(LATER), scene, () => scene.first.buffer.tryPush(10)),
  },
  {
    name: 'room comes to a waiter',
    capacity: 1,
    inside: [1],
    others: noOthers,
    act: ({ buffer }, scene) => waitsUntil(buffer.pushAsync(THEIRS, LATER), scene, () => scene.first.buffer.tryPop()),
    takes: 1,
  },
];

/** Whether the victim lived to the end. */
async function playOut(scene: Scene, victim: Member, act: Play['act'], last: number): Promise<boolean> {
  victim.life.count(['step', 'write', 'parking'], last);
  try {
    await act(victim, scene);
    await scene.world.settle();
  } catch (failure) {
    if (!(failure instanceof Death)) throw failure;
  }
  return !victim.life.isDead;
}

/** Lets every waiter run. Returns the values that came out, of waiters and of the buffer, until none is left. */
async function finish(scene: Scene, waits: readonly Wait[]): Promise<number[]> {
  const { buffer } = scene.first;
  const drained: number[] = [];
  for (let round = 0; round < 8; round++) {
    if (!buffer.closed || buffer.length > 0) drained.push(...scene.drain());
    await scene.world.settle();
  }
  const got = waits.flatMap(({ outcome }) =>
    typeof outcome === 'object' && 'got' in outcome && typeof outcome.got === 'number' ? [outcome.got] : [],
  );
  return [...got, ...drained];
}

/**
 * Checks `out`, all values that came out: none twice. Only the victim may have taken some: the first ones, all at once.
 */
function expectWhole(out: readonly number[], { inside, takes = 0 }: Play, where: string): void {
  const all = [...inside, 10, 11, THEIRS, THEIRS + 1];
  const odd = out.filter((value, index) => out.indexOf(value) !== index || !all.includes(value));
  expect(odd, `values came out twice: ${where}`).toEqual([]);
  const missing = inside.filter((value) => !out.includes(value));
  expect([[], inside.slice(0, takes)], where).toContainEqual(missing);
}

/** Checks that all waiters are served, and that all room can be used. */
async function expectGoesOn(scene: Scene, { capacity }: Play, waits: readonly Wait[], where: string): Promise<void> {
  const { buffer } = scene.first;
  if (!buffer.closed) {
    for (const wait of waits) if (wait.outcome === 'waits') buffer.push(50);
    await scene.world.settle();
    scene.drain();
    const values = Array.from({ length: capacity + 1 }, () => 7);
    expect([scene.drain(), buffer.pushMany(values), scene.drain().length], where).toEqual([[], capacity, capacity]);
  }
  const outcomes = waits.map(({ outcome }) => outcome);
  expect(outcomes, where).not.toContain('waits');
  expectQuiet(buffer);
}

describe.each(SCENES.slice(0, 2))('$title', ({ engine, way }) => {
  test.each(PLAYS)('$name', async (play) => {
    const { capacity, inside, others, act, closes } = play;
    let deaths = 0;
    for (let step = 0; ; step++) {
      const scene = new Scene(engine, way, capacity);
      const { buffer } = scene.first;
      const [victim, ...members] = scene.joinAll(3);
      if (victim === undefined) throw new Error('a wait is missing');
      if (inside.length > 0) buffer.pushMany(inside);
      const waits = others(members).map((promise) => scene.wait(promise));
      await scene.world.settle();
      const lived = await playOut(scene, victim, act, step);
      const report = await scene.bury(victim);
      const { deeds } = victim.life;
      const where = `after ${deeds.length} deeds, the last ${deeds.at(-1) ?? 'none'}: ${JSON.stringify(report)}`;
      expectWhole(await finish(scene, waits), play, where);
      if (closes === undefined) expect(buffer.closed).toBe(false);
      await expectGoesOn(scene, play, waits, where);
      if (lived) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(0);
  });
});
