// What was handed over at a queued lock is owned before the agent has looked: nobody there may unlock it until then.

import { expect, test, vi } from 'vitest';
import { HEADER_VERSION, LAYOUT_VERSION, OFFICE } from '../src/kernel/layout.ts';
import { LOCK_KINDS, lockScene, type LockScene } from './support/mortal-lock-scene.ts';
import { Stage, together } from './support/mortal-stage.ts';

vi.mock('../src/kernel/kernel.ts', async (original) => (await import('./support/mortal.ts')).mortalKernels(await original()));
vi.mock('../src/kernel/words.ts', async (original) => (await import('./support/mortal.ts')).mortalWords(await original()));
vi.mock('../src/parking.ts', async (original) => (await import('./support/mortal.ts')).mortalParking(await original()));

const QUEUED = LOCK_KINDS.filter(({ name }) => /MCS|LIFO|reciprocating/.test(name));
const OTHERS = LOCK_KINDS.filter((kind) => !QUEUED.includes(kind));

/** Two tasks of the victim wait, and one of them was given the lock and has not been told. */
function giveUntold(of: (typeof LOCK_KINDS)[number]): LockScene {
  const scene = lockScene(new Stage({}, 'wasm'), of);
  scene.guests.take(scene.side);
  void together([scene.theirs.lockAsync({ ref: false }), scene.theirs.lockAsync({ ref: false })]);
  scene.guests.go();
  return scene;
}

test.each(OTHERS.map((of) => [of.name, of] as const))('a task may not unlock a %s before any task of its agent was told', (_, of) => {
  const { theirs } = giveUntold(of);
  expect(() => theirs.unlock()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }));
});

test.fails.each(QUEUED.map((of) => [of.name, of] as const))('a task may not unlock a %s before any task of its agent was told', (_, of) => {
  const { theirs } = giveUntold(of);
  expect(() => theirs.unlock()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }));
});

test.fails.each(QUEUED.map((of) => [of.name, of] as const))('and when it did and dies, the recovery ends and a %s is free', (_, of) => {
  const { stage, theirs } = giveUntold(of);
  theirs.unlock();
  stage.life.die();
  stage.reclaimer.arena.reclaim(stage.victim.seat.id);
  const { words } = stage.world;
  expect([words.load32(HEADER_VERSION), words.load32(theirs.handle.address + OFFICE)]).toEqual([LAYOUT_VERSION, 0]);
});
