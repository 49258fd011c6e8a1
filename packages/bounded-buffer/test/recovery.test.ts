// Agents that die at any point: no value is lost or doubled, and the others continue.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { BLOCK_LINE, BLOCK_TAG } from '../../core/src/kernel/layout.ts';
import { TAKEN } from '../../core/src/kernel/states.ts';
import { BUFFER } from '../src/sides/kinds.ts';
import { expectQuiet } from './support/rest.ts';
import { NO_LOSS, Scene, SCENES } from './support/scene.ts';
import { until } from './support/until.ts';
import { asLine } from '../../core/src/kernel/addresses.ts';

const LATER = { ref: false } as const;

describe.each(SCENES)('$title', ({ engine, way }) => {
  const newScene = (capacity: number): Scene => new Scene(engine, way, capacity);
  const interrupted = ({ first }: Scene): object => ({
    buffersInterrupted: [{ name: 'scene', address: first.buffer.handle.address }],
  });

  test('a value that a dead agent was writing is not in the buffer, and producers continue', async () => {
    const scene = newScene(2);
    const { first } = scene;
    const [dies, other] = [scene.join(), scene.join()];
    first.buffer.push(1);
    scene.dieBefore('commitSide', dies, () => dies.buffer.pushMany([9]));
    expect([first.buffer.length, first.buffer.tryPush(8), first.buffer.tryPush(8, 5)]).toEqual([1, false, false]);
    const waits = [scene.wait(first.buffer.pushAsync(2, LATER)), scene.wait(other.buffer.pushAsync(3, LATER))];
    await scene.world.settle();
    expect([first.buffer.tryPop(), waits.map(({ outcome }) => outcome)]).toEqual([1, ['waits', 'waits']]);
    expect(await scene.bury(dies)).toMatchObject({ ...NO_LOSS, ...interrupted(scene) });
    expect(waits.map(({ outcome }) => outcome)).toEqual([{ got: undefined }, { got: undefined }]);
    expect(scene.drain().sort()).toEqual([2, 3]);
    expectQuiet(first.buffer);
  });

  test('a value that a dead agent was reading is still in the buffer, and consumers continue', async () => {
    const scene = newScene(3);
    const { first } = scene;
    const [dies, other] = [scene.join(), scene.join()];
    first.buffer.pushMany([1, 2]);
    scene.dieBefore('commitSide', dies, () => dies.buffer.popMany(1));
    expect([first.buffer.length, first.buffer.tryPop(), first.buffer.tryPop(5), first.buffer.tryPush(3)]).toEqual([
      2,
      undefined,
      undefined,
      true,
    ]);
    const wait = scene.wait(other.buffer.popAsync(LATER));
    await scene.world.settle();
    expect(await scene.bury(dies)).toMatchObject({ ...NO_LOSS, ...interrupted(scene) });
    expect([wait.outcome, scene.drain()]).toEqual([{ got: 1 }, [2, 3]]);
    expectQuiet(first.buffer);
  });

  test('values that a dead agent was taking or pushing with one call are as before', async () => {
    const scene = newScene(4);
    const { first } = scene;
    const [reads, writes] = [scene.join(), scene.join()];
    first.buffer.pushMany([1, 2]);
    scene.dieBefore('commitSide', reads, () => reads.buffer.popMany());
    scene.dieBefore('commitSide', writes, () => writes.buffer.pushMany([8, 9]));
    for (const dies of [reads, writes])
      expect(await scene.bury(dies)).toMatchObject({ ...NO_LOSS, ...interrupted(scene) });
    expect([scene.drain(), first.buffer.pushMany([3, 4, 5, 6])]).toEqual([[1, 2], 4]);
    expect(scene.drain()).toEqual([3, 4, 5, 6]);
    expectQuiet(first.buffer);
  });

  test.each([0, 1, 2, 3])('a dead waiter for a value, as number %i, is skipped', async (index) => {
    const scene = newScene(4);
    const members = scene.joinAll(4);
    const waits = members.map(({ buffer }) => scene.wait(buffer.popAsync(LATER)));
    await scene.world.settle();
    const [dies] = members.splice(index, 1);
    waits.splice(index, 1);
    if (dies === undefined) throw new Error('a wait is missing');
    expect(await scene.bury(dies)).toMatchObject({ ...NO_LOSS, ticketsWithdrawn: 1 });
    scene.first.buffer.pushMany([1, 2, 3]);
    await scene.world.settle();
    expect(waits.map(({ outcome }) => outcome)).toEqual([{ got: 1 }, { got: 2 }, { got: 3 }]);
    expectQuiet(scene.first.buffer);
  });

  test.each([0, 1, 2, 3])('a dead waiter for room, as number %i, is skipped', async (index) => {
    const scene = newScene(1);
    const members = scene.joinAll(4);
    scene.first.buffer.push(0);
    const waits = members.map(({ buffer }, value) => scene.wait(buffer.pushAsync(1 + value, LATER)));
    await scene.world.settle();
    const [dies] = members.splice(index, 1);
    waits.splice(index, 1);
    if (dies === undefined) throw new Error('a wait is missing');
    expect(await scene.bury(dies)).toMatchObject({ ...NO_LOSS, ticketsWithdrawn: 1 });
    const seen: number[] = [];
    for (let round = 0; round < 4; round++) {
      seen.push(...scene.drain());
      await scene.world.settle();
    }
    expect(seen).toEqual([0, 1, 2, 3, 4].filter((value) => value !== 1 + index));
    expect(waits.map(({ outcome }) => outcome)).toEqual(waits.map(() => ({ got: undefined })));
    expectQuiet(scene.first.buffer);
  });

  test('an agent that dies while it sleeps in a blocking call delays no other agent', async () => {
    const scene = newScene(1);
    const { buffer } = scene.first;
    const [reads, writes] = [scene.join(), scene.join()];
    reads.life.meanwhile.push(() => reads.life.die());
    expect(() => reads.buffer.pop()).toThrow('dead');
    expect(await scene.bury(reads)).toMatchObject({ ...NO_LOSS, ticketsWithdrawn: 1 });
    buffer.push(1);
    writes.life.meanwhile.push(() => writes.life.die());
    expect(() => writes.buffer.push(2)).toThrow('dead');
    expect(await scene.bury(writes)).toMatchObject({ ...NO_LOSS, ticketsWithdrawn: 1 });
    expect([buffer.pop(), buffer.tryPop(), buffer.tryPush(3), buffer.tryPush(4), buffer.pop()]).toEqual([
      1,
      undefined,
      true,
      false,
      3,
    ]);
    expectQuiet(buffer);
  });

  test('if an agent dies right after its commit, the recovery wakes the waiter on the other side', async () => {
    const scene = newScene(1);
    const { buffer } = scene.first;
    const [reads, writes, waits] = [scene.join(), scene.join(), scene.join()];
    const pop = scene.wait(waits.buffer.popAsync(LATER));
    await scene.world.settle();
    scene.dieBefore('walk', writes, () => writes.buffer.push(1));
    expect([buffer.length, pop.outcome]).toEqual([1, 'waits']);
    expect(await scene.bury(writes)).toMatchObject(NO_LOSS);
    expect(pop.outcome).toEqual({ got: 1 });
    buffer.push(2);
    const push = scene.wait(waits.buffer.pushAsync(3, LATER));
    await scene.world.settle();
    scene.dieBefore('walk', reads, () => reads.buffer.pop());
    expect([buffer.length, push.outcome]).toEqual([0, 'waits']);
    expect(await scene.bury(reads)).toMatchObject(NO_LOSS);
    expect([push.outcome, scene.drain()]).toEqual([{ got: undefined }, [3]]);
    expectQuiet(buffer);
  });

  test('the death of an agent in close() leaves the buffer open, or closed with all waiters woken', async () => {
    for (const step of ['closeSides', 'walk']) {
      const scene = newScene(1);
      const { buffer } = scene.first;
      const [dies, reads, late] = [scene.join(), scene.join(), scene.join()];
      const wait = scene.wait(reads.buffer.popAsync(LATER));
      await scene.world.settle();
      scene.dieBefore(step, dies, () => dies.buffer.close());
      const report = await scene.bury(dies);
      expect([buffer.closed, report.buffersInterrupted.length]).toEqual(step === 'walk' ? [true, 0] : [false, 1]);
      late.buffer.close();
      await scene.world.settle();
      expect([buffer.closed, wait.outcome]).toMatchObject([true, { failed: { code: 'SLUICE_CLOSED' } }]);
      expectQuiet(buffer);
    }
  });

  test("a call behind another call of its agent, which waits for a dead agent's lock, can be aborted", async () => {
    const scene = newScene(4);
    const { buffer } = scene.first;
    const [writes, dies] = [scene.join(), scene.join()];
    const controller = new AbortController();
    const first = scene.wait(buffer.popAsync(LATER));
    const second = scene.wait(buffer.popAsync({ ...LATER, signal: controller.signal }));
    const third = scene.wait(buffer.popAsync(LATER));
    await scene.world.settle();
    writes.buffer.pushMany([1, 2, 3, 4]);
    // The dead agent has the lock of the consumers, for which the first call waits as the head of the line.
    const consumers = buffer.handle.address + 2 * BLOCK_LINE;
    const { kernel } = dies.context.load(BUFFER);
    expect(
      kernel.enqueueAtSideLock(
        asLine(consumers),
        dies.context.words.load32(consumers + BLOCK_TAG),
        dies.context.agent,
        0,
      ),
    ).toBe(TAKEN);
    dies.life.die();
    await scene.world.settle();
    controller.abort('enough');
    let turns = 0;
    await until(() => second.outcome !== 'waits' || ++turns > 100);
    const before = [first.outcome, second.outcome];
    await scene.bury(dies);
    while ([first, third].some(({ outcome }) => outcome === 'waits')) await scene.world.settle();
    // The third call is behind the first, even after the one between them has ended.
    expect([first, second, third].map(({ outcome }) => outcome)).toEqual([
      { got: 1 },
      { failed: 'enough' },
      { got: 2 },
    ]);
    expect(scene.drain()).toEqual([3, 4]);
    expect(before).toEqual(['waits', { failed: 'enough' }]);
    expectQuiet(buffer);
  });

  test('agents that wrote, read or waited may all die', async () => {
    const scene = newScene(2);
    const { buffer, arena } = scene.first;
    const members = scene.joinAll(6);
    const [writes, reads, ...others] = members;
    if (writes === undefined || reads === undefined) throw new Error('a wait is missing');
    buffer.pushMany([1, 2]);
    others.forEach((other, index) =>
      scene.wait(index % 2 === 0 ? other.buffer.pushAsync(9, LATER) : other.buffer.pushManyAsync([8, 7], LATER)),
    );
    await scene.world.settle();
    scene.dieBefore('commitSide', reads, () => reads.buffer.popMany(1));
    for (const { life } of members) life.die();
    const reports = arena.reclaimDead();
    expect(reports.map(({ agent }) => agent).sort()).toEqual(members.map(({ context }) => context.id).sort());
    await scene.world.settle();
    expect([scene.drain(), buffer.pushMany([3, 4, 5]), scene.drain()]).toEqual([[1, 2], 2, [3, 4]]);
    expectQuiet(buffer);
  });
});
