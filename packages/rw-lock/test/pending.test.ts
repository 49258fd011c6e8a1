// Tests the recovery of an agent at a read-write lock by an agent that has not loaded the kind.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { RwLock } from '../src/index.ts';
import './support/kinds.ts';

const NOTICE = 1n << 63n;

interface Row {
  readonly what: string;
  /** The first act of a living agent, and the state of the victim when it dies. */
  readonly before: (lock: RwLock) => unknown;
  readonly act: (lock: RwLock) => unknown;
  /** The word of the box office at the end. */
  readonly office?: bigint;
}

const nothing = (): void => undefined;

const ROWS: readonly Row[] = [
  { what: 'writes', before: nothing, act: ({ writer }) => writer.lock(), office: NOTICE },
  { what: 'reads', before: nothing, act: ({ reader }) => reader.lock() },
  {
    what: 'waits to write',
    before: ({ reader }) => reader.lock(),
    act: ({ writer }) => writer.lockAsync({ ref: false }).catch(nothing),
  },
  {
    what: 'waits to read',
    before: ({ writer }) => writer.lock(),
    act: ({ reader }) => reader.lockAsync({ ref: false }).catch(nothing),
  },
];

function release({ reader, writer }: RwLock): void {
  if (writer.owned) writer.unlock();
  if (reader.held > 0) reader.unlock();
}

test.each(ROWS)(
  'the recovery of an agent that $what is left to an agent with the kind',
  async ({ before, act, office = 0n }) => {
    const world = new World({ engine: 'wasm' });
    const [first, victim, watcher] = [world.join(), world.join(), world.joinWithoutKinds()];
    const open = (agent: Agent): RwLock => RwLock.from(world.handle(lock.handle, agent));
    const lock = RwLock.create({ arena: first.arena, name: 'table' });
    before(lock);
    void act(open(victim));
    victim.life.die();
    const { address } = lock.handle;
    expect(watcher.arena.reclaim(victim.context.id)).toMatchObject({
      pending: [{ name: 'table', address }],
      locksOrphaned: [],
      permits: [],
    });
    release(lock);
    const later = open(world.joinWithoutKinds());
    await world.settle();
    expect(later.inspect()).toMatchObject({ writer: 0, readers: [], waitingReaders: [], waitingWriters: [] });
    expectAtRest(first.arena, lock.handle, office);
    expect(first.arena.inspect().agents.map(({ agent }) => agent)).not.toContain(victim.context.id);
  },
);
