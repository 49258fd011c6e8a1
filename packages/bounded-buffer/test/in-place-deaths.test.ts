// Agents that die while a part of the ring is open to them.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { BufferReader, BufferWriter } from '../src/index.ts';
import { expectQuiet } from './support/rest.ts';
import { Scene, WAYS } from './support/scene.ts';

const LATER = { ref: false } as const;

describe.each(['wasm', 'js'] as const)('the death of an agent (%s)', (engine) => {
  const [way] = WAYS;

  test('the death of an agent between claim() and commit() adds no value, and the next value follows the last one', async () => {
    const scene = new Scene(engine, way ?? failed(), 4);
    const dies = scene.join();
    scene.first.buffer.push(1);
    new BufferWriter(dies.buffer).claim(2)?.set([8, 9]);
    const waits = scene.wait(scene.first.buffer.pushAsync(2, LATER));
    expect(scene.first.buffer.pop()).toBe(1);
    await scene.bury(dies);
    expect([waits.outcome, scene.drain()]).toEqual([{ got: undefined }, [2]]);
    expectQuiet(scene.first.buffer);
  });

  test('the death of an agent between peek() and consume() takes no value', async () => {
    const scene = new Scene(engine, way ?? failed(), 4);
    const dies = scene.join();
    scene.first.buffer.pushMany([1, 2]);
    new BufferReader(dies.buffer).peek();
    const waits = scene.wait(scene.first.buffer.popAsync(LATER));
    scene.first.buffer.push(3);
    await scene.bury(dies);
    expect([waits.outcome, scene.drain()]).toEqual([{ got: 1 }, [2, 3]]);
    expectQuiet(scene.first.buffer);
  });

  test('with a claim open and an async pop waiting adds no value, and frees the side', async () => {
    const scene = new Scene(engine, way ?? failed(), 4);
    const dies = scene.join();
    new BufferWriter(dies.buffer).claim(2)?.set([8, 9]);
    scene.wait(dies.buffer.popAsync(LATER));
    const waits = scene.wait(scene.first.buffer.pushAsync(1, LATER));
    await scene.bury(dies);
    expect([waits.outcome, scene.drain()]).toEqual([{ got: undefined }, [1]]);
    expectQuiet(scene.first.buffer);
  });

  test('the death of an agent before or after any step of claim() and commit() adds all of its values or none', async () => {
    for (let last = 0; ; last++) {
      const scene = new Scene(engine, way ?? failed(), 4);
      const dies = scene.join();
      const writer = new BufferWriter(dies.buffer);
      dies.life.count(['step', 'write', 'parking'], last);
      try {
        writer.claim(2)?.set([1, 2]);
        writer.commit();
      } catch {
        // The agent has died.
      }
      const survived = dies.life.deeds.length < last;
      await scene.bury(dies);
      scene.first.buffer.push(3);
      expect([[3], [1, 2, 3]]).toContainEqual(scene.drain());
      expectQuiet(scene.first.buffer);
      if (survived) {
        expect(last).toBeGreaterThan(2);
        break;
      }
    }
  });
});

function failed(): never {
  throw new Error('there is no such way');
}
