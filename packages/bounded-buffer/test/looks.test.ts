// What a blocking newcomer does before it enters the line.

import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../core/src/policy.ts';
import { WAITING } from '../../core/src/kernel/states.ts';
import { Looks } from '../src/looks.ts';

const NEVER = (): number => WAITING;
/** One reading of the clock, in ms. */
const TICK = 0.0005;

class Scene {
  readonly lines = { isWaitedIn: false };
  readonly looks: Looks;
  count = 0;
  #ticks = 0;

  constructor(policy: { readonly spinMicros: number; readonly longTermThreshold?: number }) {
    const parking = { now: () => TICK * this.#ticks++ } as never;
    this.looks = new Looks(parking, { ...DEFAULT_POLICY, ...policy });
  }

  /** Returns what came of it, and how many looks it took. */
  again(look: () => number = NEVER, end = Infinity): readonly [seen: number, looks: number] {
    const before = this.count;
    const counted = (): number => {
      this.count += 1;
      return look();
    };
    return [this.looks.again(this.lines, end, counted), this.count - before];
  }
}

test('a newcomer looks again every microsecond, for at most the time of a spin', () => {
  const [seen, looks] = new Scene({ spinMicros: 20 }).again();
  expect(seen).toBe(WAITING);
  expect(looks).toBeGreaterThan(5);
  expect(looks).toBeLessThanOrEqual(20);
});

test('a newcomer enters as soon as a look finds enough, and stops looking at its timeout', () => {
  const scene = new Scene({ spinMicros: 20 });
  let left = 3;
  expect(scene.again(() => (--left === 0 ? 5 : WAITING))).toEqual([5, 3]);
  expect(new Scene({ spinMicros: 20 }).again(NEVER, 0.003)[1]).toBeLessThanOrEqual(3);
});

test('a newcomer does not look again while agents stand in line, or where no agent may spin', () => {
  const scene = new Scene({ spinMicros: 20 });
  scene.lines.isWaitedIn = true;
  expect(scene.again()).toEqual([WAITING, 0]);
  expect(new Scene({ spinMicros: 0 }).again()).toEqual([WAITING, 0]);
  expect(new Scene({ spinMicros: 20, longTermThreshold: 0 }).again()).toEqual([WAITING, 0]);
});

test('looks that find nothing become rare, and frequent again when they find something', () => {
  const scene = new Scene({ spinMicros: 2 });
  const tried = (calls: number, look = NEVER): number => Array.from({ length: calls }, () => scene.again(look)).filter(([, looks]) => looks > 0).length;
  expect(tried(1000)).toBeLessThan(30);
  expect(tried(100, () => 1)).toBeGreaterThan(30);
  expect(tried(10, () => 1)).toBe(10);
});
