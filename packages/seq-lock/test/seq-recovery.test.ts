// Tests agents of one thread that write and die.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { Death } from '../../core/test/support/crash.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { SeqLock } from '../src/index.ts';
import { fill, numberIn } from './support/checksum.ts';
import './support/kinds.ts';

const BYTES = 32;

function scene(engine: 'wasm' | 'js') {
  const world = new World({ engine });
  const first = world.join();
  const ours = SeqLock.create({ arena: first.arena, name: 'state', byteLength: BYTES });
  ours.write((value) => fill(value, 1));
  const join = (): Agent & { readonly lock: SeqLock } => {
    const agent = world.join();
    return { ...agent, lock: SeqLock.from(world.handle(ours.handle, agent)) };
  };
  return { world, first, ours, join };
}

/** Lets the agent die before its deed with that number. Returns whether it died. */
function diesIn({ life }: Agent, deed: number, act: () => void): boolean {
  life.count(['step', 'write', 'parking'], deed);
  try {
    act();
  } catch (failure) {
    if (!(failure instanceof Death)) throw failure;
  }
  return life.isDead;
}

test.each(['wasm', 'js'] as const)(
  'a writer may die before any store (%s): the value is the old or the new one, even before the recovery',
  (engine) => {
    const seen = new Set<string>();
    for (let deed = 0; ; deed++) {
      const { first, ours, join } = scene(engine);
      const writer = join();
      const died = diesIn(writer, deed, () => writer.lock.update((value) => fill(value, numberIn(value) + 1)));
      const found = ours.read(numberIn);
      seen.add(`${died ? 'died' : 'lived'}, ${found}`);
      if (!died) break;
      first.arena.reclaim(writer.context.id);
      expect(ours.read(numberIn)).toBe(found);
      // There is no notice, and the dead writer blocks no other agent.
      for (let round = 1; round < 4; round++) {
        ours.update((value) => fill(value, numberIn(value) + 1));
        expect(ours.read(numberIn)).toBe(found + round);
      }
      expect(ours.inspect()).toMatchObject({ owner: 0, waiters: [] });
    }
    expect([...seen].sort()).toEqual(['died, 1', 'died, 2', 'lived, 2']);
  },
);

test('a writer that waits behind a dead writer writes after the recovery, without a notice', async () => {
  const { world, first, ours, join } = scene('wasm');
  const [dead, waits] = [join(), join()];
  const last = (): never => {
    dead.life.die();
    throw Death.before('the end of the function');
  };
  expect(() => dead.lock.update(last)).toThrow(Death);
  expect(waits.lock.tryWrite((value) => fill(value, 9))).toBe(false);
  const write = waits.lock.writeAsync((value) => fill(value, 9));
  first.arena.reclaim(dead.context.id);
  await world.settle();
  await write;
  expect([ours.read(numberIn), ours.inspect().owner]).toEqual([9, 0]);
});
