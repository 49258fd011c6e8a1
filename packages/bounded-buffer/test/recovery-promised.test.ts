// Agents that die after room or values were granted to them, before they have used them.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { BoundedBuffer } from '../src/index.ts';
import { expectQuiet } from './support/rest.ts';
import { NO_LOSS, Scene, SCENES, type Way } from './support/scene.ts';

const LATER = { ref: false } as const;

const TEXTS: Way<string> = {
  name: 'text',
  create: (arena, ringBytes) => BoundedBuffer.create<string>({ arena, ringBytes }),
};

describe.each(SCENES)('$title', ({ engine, way }) => {
  const newScene = (capacity: number): Scene => new Scene(engine, way, capacity);
  const givenBack = ({ first }: Scene): object => ({
    ...NO_LOSS,
    permits: [{ name: 'scene', address: first.buffer.handle.address, permits: 1 }],
  });

  test.each([0, 1, 2])(
    'a value granted to an agent that died goes to the next of %i waiters, or to the next caller',
    async (others) => {
      const scene = newScene(2);
      const { buffer } = scene.first;
      const dies = scene.join();
      scene.wait(dies.buffer.popAsync(LATER));
      const waits = scene.joinAll(others).map((other) => scene.wait(other.buffer.popAsync(LATER)));
      await scene.world.settle();
      buffer.push(1);
      expect(await scene.bury(dies)).toMatchObject(givenBack(scene));
      if (others === 0) expect([buffer.length, buffer.tryPop(), buffer.length]).toEqual([1, 1, 0]);
      expect(waits.map(({ outcome }) => outcome)).toEqual([{ got: 1 }, 'waits'].slice(0, others));
      if (others === 2) buffer.push(2);
      await scene.world.settle();
      expect([waits.every(({ outcome }) => outcome !== 'waits'), buffer.length]).toEqual([true, 0]);
      expectQuiet(buffer);
    },
  );

  test.each([0, 1, 2])(
    'room granted to an agent that died goes to the next of %i waiters, or to the next caller',
    async (others) => {
      const scene = newScene(1);
      const { buffer } = scene.first;
      const dies = scene.join();
      buffer.push(1);
      scene.wait(dies.buffer.pushAsync(9, LATER));
      const waits = scene.joinAll(others).map((other, index) => scene.wait(other.buffer.pushAsync(2 + index, LATER)));
      await scene.world.settle();
      expect(buffer.pop()).toBe(1);
      expect(await scene.bury(dies)).toMatchObject({ buffersInterrupted: [], locksOrphaned: [] });
      if (others === 0) expect([buffer.length, buffer.tryPush(2), buffer.length]).toEqual([0, true, 1]);
      expect(waits.map(({ outcome }) => outcome)).toEqual([{ got: undefined }, 'waits'].slice(0, others));
      expect(buffer.tryPop()).toBe(2);
      await scene.world.settle();
      expect(scene.drain()).toEqual(others === 2 ? [3] : []);
      expectQuiet(buffer);
    },
  );

  test('a blocked agent that was granted a value, or room, and dies in its sleep takes neither', async () => {
    const scene = newScene(1);
    const { buffer } = scene.first;
    const [reads, writes] = [scene.join(), scene.join()];
    reads.life.meanwhile.push(() => {
      buffer.push(1);
      reads.life.die();
    });
    expect(() => reads.buffer.pop()).toThrow('dead');
    await scene.bury(reads);
    expect(buffer.tryPop()).toBe(1);
    buffer.push(1);
    writes.life.meanwhile.push(() => {
      buffer.pop();
      writes.life.die();
    });
    expect(() => writes.buffer.push(2)).toThrow('dead');
    await scene.bury(writes);
    expect([buffer.tryPop(), buffer.tryPush(3), buffer.tryPush(4), buffer.pop()]).toEqual([undefined, true, false, 3]);
    expectQuiet(buffer);
  });

  test('a granted agent that dies while it reads or writes is reported as interrupted, and keeps nothing', async () => {
    const scene = newScene(1);
    const { buffer } = scene.first;
    const [reads, writes] = [scene.join(), scene.join()];
    const { address } = buffer.handle;
    reads.life.meanwhile.push(() => buffer.push(1));
    scene.dieBefore('commitSide', reads, () => reads.buffer.pop());
    expect(await scene.bury(reads)).toMatchObject({ buffersInterrupted: [{ name: 'scene', address }] });
    expect(scene.drain()).toEqual([1]);
    buffer.push(1);
    writes.life.meanwhile.push(() => buffer.pop());
    scene.dieBefore('commitSide', writes, () => writes.buffer.push(2));
    expect(await scene.bury(writes)).toMatchObject({ buffersInterrupted: [{ name: 'scene', address }] });
    expect([scene.drain(), buffer.tryPush(3), scene.drain()]).toEqual([[], true, [3]]);
    expectQuiet(buffer);
  });
});

test.each(['wasm', 'js'] as const)(
  'room granted to a dead agent that needed more serves smaller values (%s)',
  async (engine) => {
    const scene = new Scene(engine, TEXTS, 64);
    const { buffer } = scene.first;
    const [dies, next] = [scene.join(), scene.join()];
    buffer.pushMany(['first', 'x'.repeat(34)]);
    scene.wait(dies.buffer.pushAsync('y'.repeat(40), LATER));
    const wait = scene.wait(next.buffer.pushAsync('z', LATER));
    await scene.world.settle();
    expect([buffer.pop(), wait.outcome]).toEqual(['first', 'waits']);
    await scene.bury(dies);
    expect(wait.outcome).toEqual({ got: undefined });
    expect([buffer.pop().length, buffer.pop(), buffer.tryPop()]).toEqual([34, 'z', undefined]);
    expectQuiet(buffer);
  },
);
