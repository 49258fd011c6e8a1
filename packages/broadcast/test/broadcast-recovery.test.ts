// Agents of one thread that wait for a value, or publish one, and die.

import { describe, expect, test, vi } from 'vitest';
import { asLine } from '../../core/src/kernel/addresses.ts';
import '../../core/test/support/crash-injection.ts';
import { World } from '../../core/test/support/crash-world.ts';
import { blockAll } from '../../core/test/support/deadlock-fixture.ts';
import { Broadcast } from '../src/index.ts';
import { MARKS, ROOM_BEFORE, SPARES, WANTED } from '../src/kernel/layout.ts';
import type { BroadcastKernel } from '../src/kinds.ts';
import { expectAtRest, slotsOut } from './support/rest.ts';
import './support/kinds.ts';

describe.each(['wasm', 'js'] as const)('Broadcast (%s)', (engine) => {
  function scene() {
    const world = new World({ engine });
    const agent = world.join();
    const first = {
      ...agent,
      stream: Broadcast.create({ arena: agent.arena, name: 'ticks', codec: 'int32', capacity: 4 }),
    };
    const join = () => {
      const other = world.join();
      const stream = Broadcast.from<number>(world.handle(first.stream.handle, other));
      return { ...other, stream, subscription: stream.subscribe() };
    };
    return { world, first, join };
  }

  test('publish() admits a sleeping waiter', () => {
    const { first, join } = scene();
    const { subscription, life } = join();
    life.meanwhile.push(() => first.stream.publish(1));
    expect(subscription.next()).toBe(1);
    expectAtRest(first.arena, first.stream);
  });

  test('tryNext(ms) returns the value that is published at the moment of its timeout', () => {
    const { first, join } = scene();
    const { subscription, life } = join();
    life.meanwhile.push(() => {
      first.stream.publish(1);
      return 'timed-out';
    });
    expect(subscription.tryNext(5)).toBe(1);
    expectAtRest(first.arena, first.stream);
  });

  test('agents that block on a broadcast are reported, but not as a deadlock', () => {
    const { first, join } = scene();
    const [one, other] = [join(), join()];
    const { found, waits } = blockAll(
      [
        [one, () => one.subscription.next()],
        [other, () => other.subscription.next()],
      ],
      () => ({
        found: first.arena.findDeadlock(),
        waits: first.arena.inspect().agents.map((agent) => agent.waits.map(({ kind, how }) => [kind, how])),
      }),
    );
    expect([found, waits]).toEqual([undefined, [[], [['broadcast', 'blocking']], [['broadcast', 'blocking']]]]);
  });

  test('the recovery cancels the wait of a dead waiter, and changes nothing for one that was admitted', async () => {
    for (const isAdmitted of [false, true]) {
      const { world, first, join } = scene();
      const [gone, stays] = [join(), join()];
      const got: number[] = [];
      void gone.subscription.nextAsync({ ref: false }).catch(() => undefined);
      void stays.subscription.nextAsync({ ref: false }).then((value) => got.push(value));
      if (isAdmitted) first.stream.publish(1);
      gone.life.die();
      expect(first.arena.reclaim(gone.context.id)).toMatchObject({ permits: [], ticketsWithdrawn: isAdmitted ? 0 : 1 });
      first.stream.publish(2);
      await world.settle();
      expect(got).toEqual([isAdmitted ? 1 : 2]);
      expectAtRest(first.arena, first.stream);
    }
  });

  test('a publisher that dies with a slot publishes no value, and the recovery makes its slot spare', () => {
    const { first, join } = scene();
    const subscription = first.stream.subscribe();
    for (let death = 1; death <= 20; death++) {
      const { stream, life, context } = join();
      const { address, tag } = stream.handle;
      const { claimBroadcastSlot } = context.kernel as BroadcastKernel;
      const { entry } = context.lineState(asLine(address), tag, { recorded: true });
      expect(claimBroadcastSlot(asLine(address), tag, entry, death % SPARES)).toBeGreaterThanOrEqual(0);
      expect(slotsOut(first.arena, first.stream)).toBe(1);
      first.stream.publish(death);
      life.die();
      expect(first.arena.reclaim(context.id)).toMatchObject({ permits: [], ticketsWithdrawn: 0 });
      expect([subscription.next(), subscription.tryNext()]).toEqual([death, undefined]);
      expectAtRest(first.arena, first.stream);
    }
  });

  test('an eighth publisher publishes while seven dead publishers are not recovered yet', () => {
    const { first, join } = scene();
    const subscription = first.stream.subscribe();
    const dead = Array.from({ length: SPARES - 1 }, (_, place) => {
      const { stream, life, context } = join();
      const { address, tag } = stream.handle;
      const { entry } = context.lineState(asLine(address), tag, { recorded: true });
      (context.kernel as BroadcastKernel).claimBroadcastSlot(asLine(address), tag, entry, place);
      life.die();
      return context.id;
    });
    for (let n = 1; n <= 10; n++) {
      first.stream.publish(n);
      expect(subscription.next()).toBe(n);
    }
    for (const id of dead) first.arena.reclaim(id);
    expectAtRest(first.arena, first.stream);
  });

  test('publish() finishes pending recoveries before it gives up', () => {
    const { world, first, join } = scene();
    const subscription = first.stream.subscribe();
    const bare = world.joinWithoutKinds();
    // All agents join first: an agent that loads the kind finishes recoveries, too.
    const victims = Array.from({ length: SPARES }, join);
    for (const [place, { stream, life, context }] of victims.entries()) {
      const { address, tag } = stream.handle;
      const { entry } = context.lineState(asLine(address), tag, { recorded: true });
      (context.kernel as BroadcastKernel).claimBroadcastSlot(asLine(address), tag, entry, place);
      life.die();
      expect(bare.arena.reclaim(context.id).pending).toHaveLength(1);
    }
    expect(slotsOut(first.arena, first.stream)).toBe(SPARES);
    first.stream.publish(1);
    expect(subscription.next()).toBe(1);
    expectAtRest(first.arena, first.stream);
  });
});

test('the recovery of a subscription whose agent died in close() wakes the publisher that waits for it', async () => {
  const world = new World({ engine: 'js' });
  const first = world.join();
  const stream = Broadcast.create({ arena: first.arena, codec: 'int32', capacity: 1, overflow: 'wait' });
  const { context, life, ...victim } = world.join();
  const subscription = Broadcast.from<number>(world.handle(stream.handle, { context, life, ...victim })).subscribe();
  stream.publish(1);
  let isPublished = false;
  void stream.publishAsync(2, { ref: false }).then(() => (isPublished = true));
  await world.settle();
  const { words } = context;
  const address = asLine(stream.handle.address + ROOM_BEFORE);
  const wanted = address + words.get32(address + MARKS) + WANTED;
  expect(words.load32(wanted)).toBe(1);
  // With `jsEngine` a thread may end between any two accesses of a step.
  const load = Atomics.load;
  const spy = vi.spyOn(Atomics, 'load').mockImplementation(((array: Int32Array, index: number) => {
    if (array.byteOffset + index * array.BYTES_PER_ELEMENT === wanted) throw new Error('dead');
    return load(array, index);
  }) as typeof Atomics.load);
  try {
    expect(() => subscription.close()).toThrow('dead');
  } finally {
    spy.mockRestore();
  }
  life.die();
  first.arena.reclaim(context.id);
  await world.settle();
  expect([isPublished, stream.inspect().subscriptions]).toEqual([true, []]);
});
