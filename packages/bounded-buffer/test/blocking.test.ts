// Agents of one thread that block: while one agent sleeps, the test runs the others.

import { ClosedError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { Death } from '../../core/test/support/crash.ts';
import '../../core/test/support/crash-injection.ts';
import { blockAll } from '../../core/test/support/deadlock-fixture.ts';
import type { BoundedBuffer } from '../src/index.ts';
import { expectQuiet } from './support/rest.ts';
import { Scene, SCENES } from './support/scene.ts';

const LATER = { ref: false } as const;

describe.each(SCENES)('$title', ({ engine, way }) => {
  const newScene = (capacity: number): Scene => new Scene(engine, way, capacity);

  test('a consumer takes nothing while an earlier consumer is the head of the line, even if values are there', async () => {
    const scene = newScene(4);
    const { buffer } = scene.first;
    const [before, blocks, behind, late] = [scene.join(), scene.join(), scene.join(), scene.join()];
    const waits = [scene.wait(before.buffer.popAsync(LATER))];
    blocks.life.meanwhile.push(() => {
      waits.push(scene.wait(behind.buffer.popAsync(LATER)));
      buffer.pushMany([1, 2, 3]);
      expect(buffer.inspect().consumers.map(({ agent }) => agent)).toEqual([blocks.context.id, behind.context.id]);
      expect(late.buffer.tryPop()).toBeUndefined();
      return 'timed-out';
    });
    expect(blocks.buffer.tryPop(5)).toBeUndefined();
    expect(late.buffer.tryPop()).toBeUndefined();
    await scene.world.settle();
    expect([waits.map(({ outcome }) => outcome), late.buffer.tryPop()]).toEqual([[{ got: 1 }, { got: 2 }], 3]);
    expectQuiet(buffer);
  });

  test('a producer writes nothing while an earlier producer is the head of the line, even if there is room', async () => {
    const scene = newScene(3);
    const { buffer } = scene.first;
    const [before, blocks, behind, late] = [scene.join(), scene.join(), scene.join(), scene.join()];
    buffer.pushMany([0, 0, 0]);
    const waits = [scene.wait(before.buffer.pushAsync(1, LATER))];
    blocks.life.meanwhile.push(() => {
      waits.push(scene.wait(behind.buffer.pushAsync(2, LATER)));
      expect(buffer.popMany()).toEqual([0, 0, 0]);
      expect(buffer.inspect().producers.map(({ agent }) => agent)).toEqual([blocks.context.id, behind.context.id]);
      expect(late.buffer.tryPush(9)).toBe(false);
      return 'timed-out';
    });
    expect([blocks.buffer.tryPush(8, 5), late.buffer.tryPush(9)]).toEqual([false, false]);
    await scene.world.settle();
    expect([waits.map(({ outcome }) => outcome), scene.drain()]).toEqual([
      [{ got: undefined }, { got: undefined }],
      [1, 2],
    ]);
    expectQuiet(buffer);
  });

  test('a newcomer that blocks first lets the waiters go, for a moment, when there is enough for all', async () => {
    const scene = newScene(4);
    const { buffer } = scene.first;
    const [before, blocks] = [scene.join(), scene.join()];
    const wait = scene.wait(before.buffer.popAsync(LATER));
    await scene.world.settle();
    buffer.pushMany([1, 2]);
    blocks.life.count(['step'], Infinity);
    expect(blocks.buffer.tryPop(2)).toBeUndefined();
    const steps = blocks.life.deeds;
    expect(steps.filter((step) => step === 'enterSide').length).toBeGreaterThan(1);
    await scene.world.settle();
    expect([wait.outcome, blocks.buffer.pop()]).toEqual([{ got: 1 }, 2]);
    expectQuiet(buffer);
  });

  const SPINS = { policy: { spinMicros: 20 } };

  /** Passes this many values through both sides, so that later calls may stay out of the queue. */
  const letFlow = ({ buffer }: { readonly buffer: BoundedBuffer<number> }): void => {
    for (let n = 0; n < 8; n++) {
      buffer.push(0);
      buffer.pop();
    }
  };

  test('while values flow, a newcomer sleeps outside the queue, and the value that it needs costs no wake-up', () => {
    const scene = newScene(1);
    const [{ buffer, life }, waits] = [scene.first, scene.join(SPINS)];
    letFlow(scene.first);
    waits.life.meanwhile.push(() => {
      expect(buffer.inspect().consumers).toEqual([]);
      life.count(['parking'], Infinity);
      buffer.push(1);
      expect(life.deeds).toEqual([]);
      return 'timed-out';
    });
    expect(waits.buffer.pop()).toBe(1);
    buffer.push(2);
    waits.life.meanwhile.push(() => {
      expect(buffer.inspect().producers).toEqual([]);
      life.count(['parking'], Infinity);
      expect(buffer.pop()).toBe(2);
      expect(life.deeds).toEqual([]);
      return 'timed-out';
    });
    waits.buffer.push(3);
    expect(buffer.pop()).toBe(3);
    expectQuiet(buffer);
  });

  test('a newcomer that slept outside the queue enters it at last, and is woken there', () => {
    const scene = newScene(1);
    const [{ buffer }, waits] = [scene.first, scene.join(SPINS)];
    letFlow(scene.first);
    let sleeps = 0;
    const nap = (): string => {
      expect(buffer.inspect().consumers).toEqual([]);
      sleeps += 1;
      return 'timed-out';
    };
    waits.life.meanwhile.push(nap, nap, nap, () => {
      expect(buffer.inspect().consumers.map(({ agent }) => agent)).toEqual([waits.context.id]);
      buffer.push(1);
      return undefined;
    });
    expect([waits.buffer.pop(), sleeps]).toEqual([1, 3]);
    expectQuiet(buffer);
  });

  test('while values flow, a newcomer takes nothing from queued waiters', async () => {
    const scene = newScene(2);
    const { buffer } = scene.first;
    const [before, waits] = [scene.join(), scene.join(SPINS)];
    letFlow(scene.first);
    const wait = scene.wait(before.buffer.popAsync(LATER));
    await scene.world.settle();
    waits.life.meanwhile.push(() => {
      expect(buffer.inspect().consumers.map(({ agent }) => agent)).toEqual([before.context.id]);
      buffer.push(1);
      return 'timed-out';
    });
    expect(waits.buffer.tryPop(20)).toBeUndefined();
    await scene.world.settle();
    buffer.push(2);
    expect([wait.outcome, buffer.pop()]).toEqual([{ got: 1 }, 2]);
    expectQuiet(buffer);
  });

  test('a newcomer that dies outside the queue leaves nothing, and a living one there sees a close and a free', async () => {
    const scene = newScene(1);
    const [{ buffer }, dies, waits] = [scene.first, scene.join(SPINS), scene.join(SPINS)];
    letFlow(scene.first);
    dies.life.meanwhile.push(() => dies.life.die());
    expect(() => dies.buffer.pop()).toThrow(Death);
    buffer.push(1);
    expect(buffer.pop()).toBe(1);
    await scene.bury(dies);
    letFlow(scene.first);
    waits.life.meanwhile.push(() => {
      buffer.close();
      return 'timed-out';
    });
    expect(() => waits.buffer.pop()).toThrow(ClosedError);
    expectQuiet(buffer);
    const other = newScene(1);
    const late = other.join(SPINS);
    letFlow(other.first);
    late.life.meanwhile.push(() => {
      other.first.buffer.free();
      return 'timed-out';
    });
    expect(() => late.buffer.pop()).toThrow(ClosedError);
  });

  test('a blocking call is served when values or room come at the moment of its timeout', () => {
    const scene = newScene(1);
    const [{ buffer }, waits] = [scene.first, scene.join()];
    waits.life.meanwhile.push(() => {
      buffer.push(1);
      return 'timed-out';
    });
    expect(waits.buffer.tryPop(5)).toBe(1);
    buffer.push(2);
    waits.life.meanwhile.push(() => {
      expect(buffer.pop()).toBe(2);
      return 'timed-out';
    });
    expect([waits.buffer.tryPush(3, 5), buffer.pop()]).toEqual([true, 3]);
    expectQuiet(buffer);
  });

  test('a call that times out in the middle of the queue leaves a place that the walk skips', async () => {
    const scene = newScene(2);
    const { buffer } = scene.first;
    const [blocks, leaves, behind] = [scene.join(), scene.join(), scene.join()];
    let last = scene.wait(Promise.resolve());
    blocks.life.meanwhile.push(() => {
      leaves.life.meanwhile.push(() => {
        last = scene.wait(behind.buffer.popAsync(LATER));
        return 'timed-out';
      });
      expect(leaves.buffer.tryPop(5)).toBeUndefined();
      buffer.pushMany([1, 2]);
    });
    expect(blocks.buffer.pop()).toBe(1);
    await scene.world.settle();
    expect(last.outcome).toEqual({ got: 2 });
    expectQuiet(buffer);
  });

  test('a non-blocking call waits as long as a copy takes, but not for a dead agent', async () => {
    const scene = newScene(2);
    const { buffer } = scene.first;
    const [copies, tries] = [scene.join(), scene.join()];
    copies.life.before.set('commitSide', () => {
      tries.life.meanwhile.push(() => undefined);
      expect(() => tries.buffer.tryPush(2)).not.toThrow();
    });
    copies.buffer.pushMany([1]);
    scene.dieBefore('commitSide', copies, () => copies.buffer.pushMany([9]));
    const { clock } = scene.world.lot;
    expect([tries.buffer.tryPush(3), tries.buffer.tryPop()]).toEqual([false, 1]);
    expect(scene.world.lot.clock - clock).toBeLessThan(3);
    await scene.bury(copies);
    await scene.world.settle();
    expectQuiet(buffer);
  });

  test('inspect() lists the agents that block on both sides, in their order', () => {
    const scene = newScene(1);
    const members = scene.joinAll(4);
    scene.first.buffer.push(0);
    const calls = members.map((member) => [member, () => member.buffer.push(1)] as const);
    const report = blockAll(calls, () => scene.first.buffer.inspect());
    expect(report.producers).toMatchObject(members.map(({ context }) => ({ agent: context.id, kind: 'blocking' })));
    const empty = newScene(1);
    const consumers = empty.joinAll(3);
    const pops = consumers.map((member) => [member, () => member.buffer.pop()] as const);
    expect(blockAll(pops, () => empty.first.buffer.inspect()).consumers).toMatchObject(
      consumers.map(({ context }) => ({ agent: context.id, kind: 'blocking', permits: 1 })),
    );
  });
});
