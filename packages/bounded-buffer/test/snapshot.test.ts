// The properties of a buffer while other agents push and pop between any two loads of its words.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { Scene, SCENES } from './support/scene.ts';

const CAPACITY = 4;

test.each(SCENES)('length and room are never below 0 or above the capacity: $title', ({ way, engine }) => {
  const scene = new Scene(engine, way, CAPACITY);
  const [looker, other] = [scene.join(), scene.join()];
  const all = looker.buffer.room;
  const acts: readonly (() => unknown)[] = [
    () => other.buffer.tryPush(1),
    () => other.buffer.tryPop(),
    () => other.buffer.tryPushMany([1, 2, 3]),
    () => other.buffer.tryPopMany(),
  ];
  for (let seed = 0; seed < 300; seed++) {
    // During this many loads an agent acts, several times each. Then it is quiet.
    let left = 1 + (seed % 7);
    let turn = seed;
    looker.life.between = () => {
      if (left-- > 0) for (let n = 0; n < 3; n++) acts[(turn = (turn * 5 + 3) % 61) % acts.length]?.();
    };
    const { length, room } = looker.buffer;
    looker.life.between = undefined;
    expect(length).toBeGreaterThanOrEqual(0);
    expect(length).toBeLessThanOrEqual(CAPACITY);
    expect(room).toBeGreaterThanOrEqual(0);
    expect(room).toBeLessThanOrEqual(all);
  }
});
