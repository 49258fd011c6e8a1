// What was handed over is nobody's until its agent has looked: no task there may unlock it before.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { HEADER_VERSION, LAYOUT_VERSION } from '../../core/src/kernel/layout.ts';
import { LOCK_KINDS, lockScene, type LockScene } from './support/crash-lock-scene.ts';
import { Stage, together } from '../../core/test/support/crash-stage.ts';

/** Two tasks of the victim wait, and one of them was given the lock and has not been told. */
function giveUntold(of: (typeof LOCK_KINDS)[number]): LockScene {
  const scene = lockScene(new Stage({}, 'wasm'), of);
  scene.shadows.take(scene.side);
  void together([scene.theirs.lockAsync({ ref: false }), scene.theirs.lockAsync({ ref: false })]);
  scene.shadows.go();
  return scene;
}

const ALL = LOCK_KINDS.map((of) => [of.name, of] as const);

test.each(ALL)('a task may not unlock a %s before any task of its agent was told', (_, of) => {
  const { theirs } = giveUntold(of);
  expect(() => theirs.unlock()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }));
});

test.each(ALL)('when an agent dies that was given a %s and not told, the recovery ends and it is free', (_, of) => {
  const { stage, theirs, open } = giveUntold(of);
  expect(() => theirs.unlock()).toThrow();
  stage.life.die();
  stage.reclaimer.arena.reclaim(stage.victim.context.id);
  expect(stage.world.words.load32(HEADER_VERSION)).toBe(LAYOUT_VERSION);
  expect(open(stage.reclaimer).tryLock()).toBe(true);
});
