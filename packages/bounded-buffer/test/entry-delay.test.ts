// The checks of a blocking newcomer before it enqueues.

import { expect, test } from 'vitest';
import type { BlockRef } from '../../core/src/arena/block-ref.ts';
import { WAITING } from '../../core/src/kernel/states.ts';
import { EntryDelay } from '../../core/src/line/entry-delay.ts';
import { DEFAULT_POLICY } from '../../core/src/api/waiting-policy.ts';
import { POSITION, ROOM } from '../src/kernel/layout.ts';
import { BESIDE } from '../src/kernel/outcomes.ts';
import { CONSUMERS, lineAt, LOCK, PRODUCERS, VALUES } from '../src/sides/lines.ts';
import { flowAt } from '../src/sides/flow.ts';

const NEVER = (): number => WAITING;
/** One reading of the clock, in ms. */
const TICK = 0.0001;
const RING = 1024;
const SPIN_MS = 0.02;

class Scene {
  readonly lines = { isWaitedIn: false };
  readonly looks: EntryDelay;
  readonly sleeps: number[] = [];
  /** The times of the checks. */
  readonly times: number[] = [];
  #passed = 0;
  #now = 0;

  constructor(policy: { readonly spinMicros: number; readonly longTermThreshold?: number } = { spinMicros: 20 }) {
    const ref = { address: 0 } as unknown as BlockRef;
    const side = lineAt(ref, LOCK, CONSUMERS);
    const parking = {
      now: () => (this.#now += TICK),
      wait: (_: number, __: number, ms: number) => {
        this.sleeps.push(ms);
        this.#now += ms;
        return 'timed-out';
      },
    };
    const words = {
      get32: (at: number) => (at === lineAt(ref, LOCK, PRODUCERS) + ROOM ? RING : 0),
      load32: (at: number) => (at === side + POSITION || at === side + POSITION + VALUES ? this.#passed | 0 : 0),
    };
    const context = { parking, words } as never;
    this.looks = new EntryDelay(context, flowAt({ ...ref, context }, CONSUMERS), { ...DEFAULT_POLICY, ...policy });
  }

  /**
   * `passed`: how many values have passed the side since the last call. Returns the outcome, and the number of checks.
   */
  again(look: () => number = NEVER, { passed = 0, end = Infinity } = {}): readonly [seen: number, looks: number] {
    this.#passed += passed;
    this.times.length = 0;
    this.sleeps.length = 0;
    const seen = this.looks.again(
      () => this.lines.isWaitedIn,
      end,
      () => {
        this.times.push(this.#now);
        return look();
      },
    );
    return [seen, this.times.length];
  }

  /** As `again`, with checks until one finds something. Returns the time between the first two checks. */
  apart(passed: number): number {
    let left = 2;
    this.again(() => (--left === 0 ? 0 : WAITING), { passed });
    const [first = 0, second = 0] = this.times;
    return second - first;
  }
}

test('while no values flow, a newcomer checks every microsecond, at most for the time of a spin, and does not sleep', () => {
  const scene = new Scene();
  const [seen, looks] = scene.again();
  expect(seen).toBe(WAITING);
  expect(looks).toBeGreaterThan(15);
  expect(looks).toBeLessThanOrEqual(20);
  expect(scene.sleeps).toEqual([]);
  scene.lines.isWaitedIn = true;
  expect(scene.again(NEVER, { passed: 7 })).toEqual([WAITING, 0]);
});

test('a newcomer enters as soon as a check finds enough, and stops checking at its timeout', () => {
  let left = 3;
  expect(new Scene().again(() => (--left === 0 ? 5 : WAITING))).toEqual([5, 3]);
  expect(new Scene().again(NEVER, { end: 0.003 })[1]).toBeLessThanOrEqual(3);
  const scene = new Scene();
  scene.again(NEVER, { passed: 8, end: 4 * SPIN_MS + 0.07 });
  expect(scene.sleeps).toHaveLength(2);
  expect(scene.sleeps[1]).toBeLessThan(0.02);
});

test('a newcomer does not check again if the policy forbids spinning', () => {
  for (const policy of [{ spinMicros: 0 }, { spinMicros: 20, longTermThreshold: 0 }]) {
    const scene = new Scene(policy);
    expect(scene.again(NEVER, { passed: 100 })).toEqual([WAITING, 0]);
    expect(scene.sleeps).toEqual([]);
  }
});

test('while values flow, a newcomer checks for four spins, then sleeps three times outside the queue with a check after each', () => {
  const scene = new Scene();
  const [seen, looks] = scene.again(NEVER, { passed: 8 });
  expect([seen, scene.sleeps]).toEqual([WAITING, [0.05, 0.05, 0.1]]);
  const before = scene.times.slice(0, looks - 3);
  expect((before.at(-1) ?? 0) - (before[0] ?? 0)).toBeGreaterThan(3 * SPIN_MS);
  expect((before.at(-1) ?? 0) - (before[0] ?? 0)).toBeLessThan(4.5 * SPIN_MS);
  const found = new Scene();
  expect(found.again(() => (found.sleeps.length === 2 ? 9 : WAITING), { passed: 8 })[0]).toBe(9);
  expect(found.sleeps).toEqual([0.05, 0.05]);
});

test('while values flow past queued agents, a newcomer checks once per millisecond, four times, and lets them go first', () => {
  const scene = new Scene();
  scene.lines.isWaitedIn = true;
  expect([scene.again(NEVER, { passed: 8 }), scene.sleeps]).toEqual([
    [WAITING, 4],
    [1, 1, 1, 1],
  ]);
  const other = new Scene();
  other.lines.isWaitedIn = true;
  let left = 3;
  expect(other.again(() => (--left === 0 ? 5 : BESIDE), { passed: 8 })).toEqual([5, 3]);
  const [others, looks] = [(): boolean => other.lines.isWaitedIn, (): number => BESIDE];
  expect(other.looks.again(others, Infinity, looks, BESIDE)).toBe(WAITING);
  expect(other.sleeps).toEqual([1, 1, 1, 1, 1, 1, 1]);
});

test('checks that find a small part of the ring become rarer, and checks that find much of it more frequent', () => {
  const scene = new Scene();
  const times = [200, 200, 200, 200, 200, 300, 600, 600, 600, 600, 600, 200, 0].map((passed) =>
    Math.round(1000 * scene.apart(passed)),
  );
  expect(times).toEqual([2, 4, 8, 16, 16, 16, 8, 4, 2, 1, 1, 2, 1]);
});

test('checks and sleeps that find nothing become rare, and become frequent again when they find something', () => {
  const scene = new Scene({ spinMicros: 2 });
  const repeated = (calls: number, look: () => number, didSo: (looks: number) => boolean): number =>
    Array.from({ length: calls }, () => didSo(scene.again(look, { passed: 8 })[1])).filter(Boolean).length;
  const tried = (calls: number, look = NEVER): number => repeated(calls, look, (looks) => looks > 0);
  const slept = (calls: number): number => repeated(calls, NEVER, () => scene.sleeps.length > 0);
  expect(tried(1000)).toBeLessThan(50);
  expect(slept(1000)).toBeLessThan(20);
  expect(tried(200, () => 1)).toBeGreaterThan(30);
  expect(tried(10, () => 1)).toBe(10);
});
