import { describe, expect, test } from 'vitest';
import { Spin } from '../src/worker/spin.ts';

/** The step of the clock. It is a power of two, so that sums are exact. 13 steps exceed 0.1 ms, and 12 do not. */
const STEP_MS = 1 / 128;

/** Makes a clock that advances by `stepMs` at each read. */
function clock(stepMs: number): { now: () => number; pass: (ms: number) => number; step: number } {
  let time = 0;
  const made = { now: () => (time += made.step), pass: (ms: number) => (time += ms), step: stepMs };
  return made;
}

describe('Spin', () => {
  test('checks repeatedly for 0.1 ms, and returns the task that it finds', () => {
    const { now } = clock(STEP_MS);
    const spin = new Spin(2, now);
    let looks = 0;

    const look = (): string | undefined => {
      looks += 1;
      return undefined;
    };
    expect(spin.until(look)).toBeUndefined();
    expect(looks).toBe(13);
    expect(spin.until(() => (++looks === 16 ? 'task' : undefined))).toBe('task');
    expect(looks).toBe(16);
  });

  test('does not check on a machine with one core', () => {
    expect(new Spin(1).until(() => 'task')).toBeUndefined();
  });

  test('does not check for a while after another thread took its core', () => {
    const time = clock(STEP_MS);
    const spin = new Spin(2, time.now);
    let looks = 0;
    const look = (): string | undefined => {
      looks += 1;
      return undefined;
    };

    time.step = 2;
    spin.until(look);
    time.step = STEP_MS;
    expect(looks).toBe(1);
    spin.until(look);
    time.pass(4);
    spin.until(look);
    expect(looks).toBe(1);
    time.pass(10);
    spin.until(look);
    expect(looks).toBe(14);
  });

  test('returns the task that it finds after it lost its core', () => {
    const { now } = clock(2);
    const spin = new Spin(2, now);

    expect(spin.until(() => 'task')).toBe('task');
    expect(spin.until(() => 'another')).toBeUndefined();
  });
});
