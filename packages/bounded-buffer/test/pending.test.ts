// The recovery of an agent that used a bounded buffer, by an agent that has not loaded the kind.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import type { ReclaimReport } from '../../core/src/index.ts';
import type { Engine } from '../../core/src/kernel/kernel.ts';
import { AGENT_DUTY, AGENT_DUTY_KIND, BLOCK_LINE, BLOCK_TAG } from '../../core/src/kernel/layout.ts';
import { TAKEN } from '../../core/src/kernel/states.ts';
import { kindCode } from '../../core/src/agent/kind.ts';
import { BoundedBuffer } from '../src/index.ts';
import { BUFFER_CODE } from '../src/kernel/layout.ts';
import { BUFFER } from '../src/sides/kinds.ts';
import { expectQuiet } from './support/rest.ts';
import { Scene, WAYS, type Member } from './support/scene.ts';
import { asLine } from '../../core/src/kernel/addresses.ts';

const LATER = { ref: false } as const;
const [INT32] = WAYS;

/** A victim at a buffer, an agent with the kind, and one without. */
class PendingScene extends Scene {
  readonly victim: Member;
  readonly bare = this.world.joinWithoutKinds();

  constructor(engine: Engine, capacity: number) {
    if (INT32 === undefined) throw new Error('there is no way to create a buffer');
    super(engine, INT32, capacity);
    this.victim = this.join();
  }

  /** Kills the victim, and recovers it by the agent without the kind. */
  recoverBare(): ReclaimReport {
    this.victim.life.die();
    return this.bare.arena.reclaim(this.victim.context.id);
  }

  /** Takes the lock of a side as the victim, as if it were writing or reading. */
  hold(side: 1 | 2): void {
    const { context } = this.victim;
    const line = this.first.buffer.handle.address + side * BLOCK_LINE;
    const { kernel } = context.load(BUFFER);
    expect(kernel.enqueueAtSideLock(asLine(line), context.words.load32(line + BLOCK_TAG), context.agent, 0)).toBe(
      TAKEN,
    );
  }

  get isGone(): boolean {
    return !this.bare.arena.inspect().agents.some(({ agent }) => agent === this.victim.context.id);
  }
}

test("the kernel's BUFFER_CODE equals the code of the kind", () => {
  expect([BUFFER_CODE, BUFFER.code]).toEqual([kindCode('buf'), kindCode('buf')]);
});

describe.each(['wasm', 'js'] as const)('with engine %s', (engine) => {
  const newScene = (capacity: number): PendingScene => new PendingScene(engine, capacity);

  test('reclaim() by an agent without the kind reports the buffer as pending, and by an agent with it as interrupted', () => {
    const scene = newScene(2);
    const { address } = scene.first.buffer.handle;
    scene.hold(1);
    expect(scene.recoverBare()).toMatchObject({
      pending: [{ name: 'scene', address }],
      buffersInterrupted: [],
      locksOrphaned: [],
      permits: [],
    });
    expect(scene.first.arena.reclaim(scene.victim.context.id)).toMatchObject({
      pending: [],
      buffersInterrupted: [{ name: 'scene', address }],
      locksOrphaned: [],
    });
    scene.first.buffer.push(1);
    expect([scene.drain(), scene.isGone]).toEqual([[1], true]);
    expectQuiet(scene.first.buffer);
  });

  test.each([
    ['push()', 1, ({ buffer }: Member) => buffer.push(7)],
    ['tryPush()', 1, ({ buffer }: Member) => buffer.tryPush(7)],
    ['pushMany()', 1, ({ buffer }: Member) => buffer.pushMany([7])],
    ['pop()', 2, ({ buffer }: Member) => buffer.pop()],
    ['tryPop()', 2, ({ buffer }: Member) => buffer.tryPop()],
    ['close()', 1, ({ buffer }: Member) => buffer.close()],
  ] as const)('%s finishes the recovery of an agent that owned the lock of the side', (_, side, call) => {
    const scene = newScene(2);
    scene.first.buffer.push(1);
    scene.hold(side);
    scene.recoverBare();
    call(scene.first);
    expect(scene.isGone).toBe(true);
    expect(scene.drain()).toEqual(side === 2 ? [] : scene.first.buffer.closed ? [1] : [1, 7]);
    expectQuiet(scene.first.buffer);
  });

  test('tryPop() finishes the recovery of the head of a line, and takes the value', async () => {
    const scene = newScene(2);
    scene.wait(scene.victim.buffer.popAsync(LATER));
    await scene.world.settle();
    scene.first.buffer.push(1);
    expect(scene.recoverBare()).toMatchObject({ pending: [{ name: 'scene' }], permits: [] });
    expect([scene.first.buffer.tryPop(), scene.isGone]).toEqual([1, true]);
    expectQuiet(scene.first.buffer);
  });

  test.each([0, 2])(
    'waiters are woken and finish the recovery of an agent that waited before %i others',
    async (others) => {
      const scene = newScene(2);
      scene.wait(scene.victim.buffer.popAsync(LATER));
      const waits = scene.joinAll(others).map((other) => scene.wait(other.buffer.popAsync(LATER)));
      await scene.world.settle();
      scene.first.buffer.push(1);
      expect(scene.recoverBare().pending).toHaveLength(1);
      await scene.world.settle();
      expect(waits.map(({ outcome }) => outcome)).toEqual([{ got: 1 }, 'waits'].slice(0, others));
      if (others > 0) scene.first.buffer.push(2);
      await scene.world.settle();
      expect([scene.drain(), scene.isGone]).toEqual([others === 0 ? [1] : [], true]);
      expectQuiet(scene.first.buffer);
    },
  );

  test('a waiter finishes the walk of an agent that died between its push and the walk', async () => {
    const scene = newScene(2);
    const { context } = scene.victim;
    const wait = scene.wait(scene.first.buffer.popAsync(LATER));
    await scene.world.settle();
    scene.dieBefore('walk', scene.victim, () => scene.victim.buffer.push(1));
    expect(scene.world.words.load32(context.agent + AGENT_DUTY_KIND)).toBe(BUFFER_CODE);
    expect(scene.recoverBare()).toMatchObject({
      pending: [{ name: 'scene' }],
      chainsFinished: 1,
      buffersInterrupted: [],
    });
    expect(scene.world.words.load32(context.agent + AGENT_DUTY)).not.toBe(0);
    await scene.world.settle();
    expect([wait.outcome, scene.isGone]).toEqual([{ got: 1 }, true]);
    expectQuiet(scene.first.buffer);
  });

  test('an agent that opens the buffer loads the kind and finishes the recovery', () => {
    const scene = newScene(2);
    const later = scene.world.joinWithoutKinds();
    scene.hold(2);
    scene.recoverBare();
    const theirs = BoundedBuffer.from<number>(scene.world.handle(scene.first.buffer.handle, later));
    expect(scene.isGone).toBe(true);
    theirs.push(3);
    expect(scene.drain()).toEqual([3]);
  });

  test('free() of a buffer at which a dead agent waits frees it', async () => {
    const scene = newScene(2);
    scene.wait(scene.victim.buffer.popAsync(LATER));
    await scene.world.settle();
    scene.recoverBare();
    scene.first.buffer.free();
    expect(scene.bare.arena.inspect().blocks.map(({ name }) => name)).not.toContain('scene');
    expect(scene.first.arena.reclaimDead()).toEqual([]);
    expect(scene.isGone).toBe(true);
  });
});
