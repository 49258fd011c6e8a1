// Tests a name whose creator died. An agent that has loaded no kind has recovered the creator. The rest of the recovery
// waits for an agent with the mutex.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { Mutex, type MutexHandle } from '../../mutex/src/index.ts';
import { findNamed, forgetNamed, freeNamed, KeyedMutex, listNamed, named, namedAsync } from '../src/index.ts';
import './support/kinds.ts';

const NAME = 'orders';

interface Scene {
  readonly world: World;
  /** An agent that has used names before. */
  readonly knowing: Agent;
  /** An agent that has loaded no kind yet. */
  readonly newcomer: Agent;
}

async function sceneWith(prepare: (victim: Agent, world: World) => unknown): Promise<Scene> {
  const world = new World({ engine: 'wasm', pages: 4 });
  const [victim, knowing] = [world.join(), world.join()];
  const [bare, newcomer] = [world.joinWithoutKinds(), world.joinWithoutKinds()];
  listNamed(knowing.arena);
  await prepare(victim, world);
  victim.life.die();
  expect(bare.arena.reclaim(victim.context.id).pending).not.toEqual([]);
  return { world, knowing, newcomer };
}

/** Lets the victim begin to create a primitive and die before it is created. */
const creating = (): Promise<Scene> =>
  sceneWith(async (victim, world) => {
    void namedAsync(victim.arena, NAME, Mutex, () => new Promise<Mutex>(() => undefined), { ref: false });
    await world.settle();
  });

const LOOKS: readonly (readonly [name: string, look: (agent: Agent) => unknown, found: unknown])[] = [
  ['listNamed', ({ arena }) => listNamed(arena), [expect.objectContaining({ name: NAME, state: 'free', creator: 0 })]],
  ['findNamed', ({ arena }) => findNamed(arena, NAME, Mutex), undefined],
  ['forgetNamed', ({ arena }) => forgetNamed(arena, NAME), false],
  ['freeNamed', ({ arena }) => freeNamed(arena, NAME, Mutex), false],
];
const AGENTS = ['knowing', 'newcomer'] as const;

test.each(AGENTS.flatMap((kind) => LOOKS.map(([name, look, found]) => [kind, name, look, found] as const)))(
  'the first call of the %s agent, %s, no longer finds a creator',
  async (kind, _, look, found) => {
    const scene = await creating();
    expect(look(scene[kind])).toEqual(found);
    expect(scene.knowing.arena.inspect().agents.filter(({ holds }) => holds.length > 0)).toEqual([]);
  },
);

test.each(AGENTS)('the %s agent creates a name whose creator has died', async (kind) => {
  const { [kind]: agent, world } = await creating();
  const mutex = named(
    agent.arena,
    NAME,
    { from: (handle: MutexHandle): Mutex => Mutex.from(world.handle(handle, agent)) },
    (options) => Mutex.create(options),
  );
  expect(listNamed(agent.arena)).toMatchObject([{ name: NAME, state: 'ready', address: mutex.handle.address }]);
});

test.each(AGENTS)('the %s agent finds no owner of a key in the snapshot of a keyed mutex', async (kind) => {
  let handle: KeyedMutex['handle'] | undefined;
  const scene = await sceneWith((victim) => {
    const keys = KeyedMutex.create({ arena: victim.arena, ownerDied: 'forget' });
    keys.lock('a');
    ({ handle } = keys);
  });
  const keys = KeyedMutex.from(scene.world.handle(handle as KeyedMutex['handle'], scene[kind]));
  expect(keys.inspect().keys.filter(({ owner }) => owner !== 0)).toEqual([]);
  keys.free();
});
