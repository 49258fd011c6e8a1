// Death in the middle of closing a bounded buffer, before each single write, with engine 'js'. The recovery of the dead
// agent completes the close, and so does the next close of the buffer. So no agent waits forever.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { BLOCK_TAG } from '../../core/src/kernel/layout.ts';
import { semaphoreOf, sidesOf } from './support/buffer-invariants.ts';
import { bufferScene, numbers, type BufferScene } from './support/crash-buffer-scene.ts';
import { outlives, Stage } from '../../core/test/support/crash-stage.ts';

// An async call that waits for a side's lock tries again after a moment: here in the next turn.
beforeAll(() => vi.stubGlobal('setTimeout', (look: () => void) => setImmediate(look)));
afterAll(() => void vi.unstubAllGlobals());

interface Closing {
  readonly scene: BufferScene;
  /** The outcomes of the waiters. */
  readonly told: readonly string[];
  /** Whether the agent died later, while it woke the waiters. Then one waiter can be lost. */
  readonly done: boolean;
}

const WAITERS = 3;

/** Lets an agent close a buffer that has waiters, and die before that write. */
async function dieClosing(side: 'producers' | 'consumers', deed: number): Promise<Closing> {
  const scene = bufferScene(new Stage({}, 'js'), numbers(1));
  const { stage, shadows, theirs } = scene;
  const { buffer } = shadows;
  if (side === 'producers') buffer.push(0);
  const told: string[] = [];
  for (let count = 0; count < WAITERS; count++) {
    const wait = side === 'producers' ? buffer.pushAsync(1, { ref: false }) : buffer.popAsync({ ref: false });
    wait.then(
      () => told.push('served'),
      (failure: unknown) => told.push((failure as { code: string }).code),
    );
  }
  let done = false;
  stage.life.before.set('walk', () => (done = true));
  await outlives(stage.life, () => theirs.close(), ['inner'], deed);
  stage.life.die();
  await stage.settle();
  return { scene, told, done };
}

function isShut({ stage: { world }, shadows: { address } }: BufferScene, side: 'producers' | 'consumers'): boolean {
  return world.words.load32(semaphoreOf(sidesOf(address)[side]) + BLOCK_TAG) < 0;
}

const ALL_TOLD = Array.from({ length: WAITERS }, () => 'SLUICE_CLOSED');

test.each(['producers', 'consumers'] as const)(
  'the recovery completes an interrupted close, and the waiting %s get their error',
  async (side) => {
    const halves = new Set<string>();
    // The queue of the consumers ends with the last value.
    const isEmpty = side === 'consumers';
    for (let deed = 0; ; deed++) {
      const { scene, told, done } = await dieClosing(side, deed);
      if (done) break;
      const { closed } = scene.shadows.buffer;
      halves.add(`${closed} ${isShut(scene, 'consumers')}`);
      scene.stage.reclaimer.arena.reclaim(scene.stage.victim.context.id);
      await scene.stage.settle();
      expect([deed, told, isShut(scene, 'producers'), isShut(scene, 'consumers')]).toEqual([
        deed,
        closed ? ALL_TOLD : [],
        closed,
        closed && isEmpty,
      ]);
    }
    expect([...halves].sort()).toEqual(['false false', 'true false', ...(isEmpty ? ['true true'] : [])]);
  },
);

test.each(['close', 'closeAsync'] as const)(
  '%s by another agent completes an interrupted close, even before the recovery',
  async (call) => {
    let cut = 0;
    for (let deed = 0; ; deed++) {
      const { scene, told, done } = await dieClosing('consumers', deed);
      if (done) break;
      if (!isShut(scene, 'producers') || isShut(scene, 'consumers')) continue;
      cut += 1;
      expect(told).toEqual([]);
      await scene.shadows.buffer[call]();
      await scene.stage.settle();
      expect([told, isShut(scene, 'consumers')]).toEqual([ALL_TOLD, true]);
      expect(() => scene.shadows.buffer.pop()).toThrow('closed');
    }
    expect(cut).toBeGreaterThan(0);
  },
);
