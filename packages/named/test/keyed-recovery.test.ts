// Tests agents of one thread that die with keys: the notices that other agents get, and a dead owner of the table's
// mutex that no other agent recovers.

import { describe, expect, test, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { hasCode, Region, type OwnerDiedError } from '../../core/src/index.ts';
import { Death } from '../../core/test/support/crash.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { OFFICE } from '../../core/src/kernel/layout.ts';
import { HANDED } from '../../core/src/kernel/states.ts';
import { Mutex } from '../../mutex/src/index.ts';
import { KeyedMutex, type AfterDeath } from '../src/index.ts';
import { lockBlocks } from './support/blocks.ts';
import './support/kinds.ts';

interface User extends Agent {
  readonly keyed: KeyedMutex;
}

class Scene {
  readonly world: World;
  readonly first: User;

  /** `tags`: the number of tags that were drawn before. */
  constructor(engine: 'wasm' | 'js', ownerDied: AfterDeath, tags = 0) {
    this.world = new World({ engine, pages: 4 });
    const agent = this.world.join();
    for (let count = 0; count < tags; count++) Region.create(8, { arena: agent.arena }).free();
    this.first = { ...agent, keyed: KeyedMutex.create({ arena: agent.arena, name: 'keys', ownerDied }) };
  }

  join(): User {
    const agent = this.world.join();
    return { ...agent, keyed: KeyedMutex.from(this.world.handle(this.first.keyed.handle, agent)) };
  }

  bury({ life, context }: User): void {
    life.die();
    this.first.arena.reclaim(context.id);
  }
}

function noticeOf(act: () => unknown): OwnerDiedError | undefined {
  try {
    act();
  } catch (failure) {
    if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
    return failure;
  }
  return undefined;
}

describe.each(['wasm', 'js'] as const)('KeyedMutex after deaths (%s)', (engine) => {
  test('the next owner of a key is told of the death, and the key keeps its memory until then', () => {
    const scene = new Scene(engine, 'notify');
    const { first } = scene;
    const user = scene.join();
    const before = lockBlocks(first.arena);
    user.keyed.lock('k');
    user.keyed.lock('j');
    scene.bury(user);
    expect(first.keyed.inspect().keys).toMatchObject([
      { owner: 0, consistency: 'orphaned' },
      { owner: 0, consistency: 'orphaned' },
    ]);
    const notice = noticeOf(() => first.keyed.lock('k'));
    expect(notice?.message).toMatch(/^KeyedMutex 'keys', key "k": the agent that owned it died/);
    first.keyed.markConsistent('k');
    notice?.guard?.release();
    expect(first.keyed.run('j', () => 7, { onOwnerDied: (guard) => guard.markConsistent() })).toBe(7);
    expect([first.keyed.inspect().keys, lockBlocks(first.arena)]).toEqual([[], before]);
  });

  test('a key whose heir unlocks it without repair throws until takeOver()', async () => {
    const scene = new Scene(engine, 'notify');
    const { first } = scene;
    const user = scene.join();
    user.keyed.lock('k');
    scene.bury(user);
    noticeOf(() => first.keyed.lock('k'))?.guard?.release();
    expect(first.keyed.inspect().keys).toMatchObject([{ key: 'k', consistency: 'unrecoverable' }]);
    expect(noticeOf(() => first.keyed.lock('k'))?.guard).toBeUndefined();
    expect(first.keyed.owns('k')).toBe(false);
    const guard = first.keyed.takeOver('k');
    guard?.markConsistent();
    guard?.release();
    expect([await first.keyed.takeOverAsync('k'), first.keyed.takeOver('k'), first.keyed.inspect().keys]).toEqual([
      null,
      null,
      [],
    ]);
  });

  test('with ownerDied "forget" no agent is told, and keys of dead agents are freed when others need memory', () => {
    const scene = new Scene(engine, 'forget');
    const { first } = scene;
    const before = lockBlocks(first.arena);
    for (let round = 0; round < 4; round++) {
      const user = scene.join();
      for (let key = 0; key < 20; key++) user.keyed.lock(`${round} ${key}`);
      scene.bury(user);
    }
    first.keyed.lock('0 0');
    first.keyed.unlock('0 0');
    expect(lockBlocks(first.arena) - before).toBeLessThanOrEqual(79);
    for (let key = 0; key < 512; key++) first.keyed.run(`mine ${key}`, () => undefined);
    expect(lockBlocks(first.arena) - before).toBe(0);
    first.keyed.free();
    expect(lockBlocks(first.arena)).toBe(before - 1);
  });

  test('free() frees a keyed mutex with keys whose owners died', () => {
    const scene = new Scene(engine, 'notify');
    const { first } = scene;
    const user = scene.join();
    const before = lockBlocks(first.arena);
    user.keyed.lock('k');
    scene.bury(user);
    first.keyed.free();
    expect(lockBlocks(first.arena)).toBe(before - 1);
  });

  test('an agent that waits for the table recovers a dead agent to which the table’s mutex was handed', () => {
    const scene = new Scene(engine, 'notify');
    const { first, world } = scene;
    const { handle } = first.keyed;
    const [owner, heir] = [scene.join(), scene.join()];
    const [owned, inherited] = [owner, heir].map((agent) =>
      Mutex.from(world.handle({ ...handle, kind: 'sluice.mutex' as const }, agent)),
    );
    owned?.lock();
    inherited?.lockAsync({ ref: false }).catch(() => undefined);
    scene.bury(owner);
    heir.life.die();
    expect(world.words.load32(handle.address + OFFICE)).toBe(HANDED);
    // The waiting agent would probe that agent forever.
    const asked = vi.spyOn(first.arena, 'reclaim').mockImplementation((id) => {
      throw new Error(`asked after agent ${id}, which does not exist`);
    });
    try {
      expect(first.keyed.tryLock('k')).toBe(true);
    } finally {
      asked.mockRestore();
    }
    first.keyed.unlock('k');
    expect(first.keyed.inspect().keys).toEqual([]);
  });

  // The second key has bits at the place of a line's flags that mean a chain of its own.
  test.each([
    ['k', 0],
    ['h'.repeat(100), 100],
  ])('an agent that waits for the table probes the owner, and recovers it if it is dead (key %s)', (key, tags) => {
    const scene = new Scene(engine, 'notify', tags);
    const { first } = scene;
    const before = lockBlocks(first.arena);
    let found = 0;
    // The owner dies before each of its steps and writes in turn, and no agent is told.
    for (let deed = 0, isOver = false; !isOver; deed++) {
      const user = scene.join();
      user.life.count(['step', 'write'], deed);
      try {
        user.keyed.lock(key);
        user.keyed.unlock(key);
        isOver = true;
      } catch (failure) {
        if (!(failure instanceof Death)) throw failure;
      }
      user.life.die();
      const notice = noticeOf(() => first.keyed.tryLock(key, 5));
      if (first.keyed.owns(key)) {
        if (notice !== undefined) first.keyed.markConsistent(key);
        first.keyed.unlock(key);
        found += 1;
      } else {
        // It owned the key and not the table. A wait for a key does not probe.
        first.arena.reclaimDead();
        noticeOf(() => first.keyed.lock(key));
        first.keyed.markConsistent(key);
        first.keyed.unlock(key);
      }
      first.arena.reclaimDead();
      expect([first.keyed.inspect().keys, lockBlocks(first.arena)]).toEqual([[], before]);
    }
    expect(found).toBeGreaterThanOrEqual(4);
  });
});
