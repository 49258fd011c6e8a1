// Tests how free() finds holders among other agents: by an index of their ledger entries, which stays valid after it
// was built.

import { expect, test } from 'vitest';
import './support/crash-injection.ts';
import { contextOf } from '../src/arena/arena.ts';
import { heldEntries, isHeld } from '../src/report/in-use.ts';
import { Semaphore } from '../src/index.ts';
import { World } from './support/crash-world.ts';

function scene() {
  const world = new World({ engine: 'wasm', pages: 4 });
  const [one, other] = [world.join(), world.join()];
  const semaphores = Array.from({ length: 10 }, () => Semaphore.create(1, { arena: one.arena }));
  const open = (agent: typeof other, sem: Semaphore): Semaphore => Semaphore.from(world.handle(sem.handle, agent));
  const isHeldAt = ({ handle: { address, tag } }: Semaphore): boolean =>
    isHeld(contextOf(one.arena), { address: address as never, tag });
  return { world, one, other, semaphores, open, isHeldAt };
}

test('free() finds a permit of another agent, even if that agent opened the primitive after an earlier search', () => {
  const {
    other,
    semaphores: [first, second, third],
    open,
    isHeldAt,
  } = scene();
  if (first === undefined || second === undefined || third === undefined) throw new Error('There are ten.');
  open(other, first).acquire();
  expect([first, second, third].map(isHeldAt)).toEqual([true, false, false]);
  open(other, third).acquire();
  expect([first, second, third].map(isHeldAt)).toEqual([true, false, true]);
});

test('free() finds a permit of its own agent without the index', () => {
  const { semaphores, isHeldAt } = scene();
  semaphores[4]?.acquire();
  expect(semaphores.map(isHeldAt)).toEqual(semaphores.map((_, at) => at === 4));
});

test('free() finds no permits of a recovered agent, even if a new agent in its record opens the same primitives', () => {
  const { world, one, other, semaphores, open, isHeldAt } = scene();
  const theirs = semaphores.map((sem) => open(other, sem));
  for (const sem of theirs) sem.acquire();
  expect(semaphores.map(isHeldAt)).toEqual(semaphores.map(() => true));
  other.life.die();
  one.arena.reclaim(other.context.id);
  expect(semaphores.map(isHeldAt)).toEqual(semaphores.map(() => false));
  const next = world.join();
  expect(next.context.agent).toBe(other.context.agent);
  const again = semaphores.map((sem) => open(next, sem));
  again[7]?.acquire();
  expect(semaphores.map(isHeldAt)).toEqual(semaphores.map((_, at) => at === 7));
});

test('free() ignores a ledger entry that its agent has reused for another primitive', () => {
  const {
    one,
    other,
    semaphores: [first],
    open,
  } = scene();
  if (first === undefined) throw new Error('There are ten.');
  open(other, first);
  const { address, tag } = first.handle;
  const context = contextOf(one.arena);
  expect(context.entriesOf(address as never, tag)).toHaveLength(2);
  first.free();
  // At the same address.
  const next = Semaphore.create(1, { arena: one.arena });
  expect(next.handle.address).toBe(address);
  open(other, next).acquire();
  expect(heldEntries(context, { address: address as never, tag })).toEqual([]);
  expect(heldEntries(context, { address: address as never, tag: next.handle.tag })).toHaveLength(1);
});
