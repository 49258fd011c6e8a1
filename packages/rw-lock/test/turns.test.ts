// Tests read-write locks with the order 'turns' with agents of one thread. The test's clock advances by one step per
// pass.

import { Arena } from '@sluice/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TURN_MS } from '../../core/src/locks/turn-length.ts';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { RwLock } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16 });
const others = [secondAgent(arena), secondAgent(arena), secondAgent(arena)];
/** An agent that has not loaded the kind of a read-write lock. */
const stranger = secondAgent(arena);

let clock = 0;

beforeEach(() => {
  clock = 1;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
});

afterEach(() => {
  vi.restoreAllMocks();
});

function create(order?: 'turns' | 'fifo'): { ours: RwLock; theirs: readonly [RwLock, RwLock, RwLock] } {
  const ours = RwLock.create({ arena, order });
  const theirs = others.map((agent) => openAs(agent, ours.handle, (handle) => RwLock.from(handle)));
  return { ours, theirs: theirs as unknown as readonly [RwLock, RwLock, RwLock] };
}

/**
 * Unlocks and locks until the lock is handed to a waiter. Each pass takes `passMs`. Returns the time that this took.
 */
function writeOn({ writer }: RwLock, passMs: number): number {
  const began = clock;
  do {
    clock += passMs;
    writer.unlock();
  } while (writer.tryLock());
  return clock - began;
}

/**
 * Each other agent waits to write, and writes repeatedly in its turn. Meanwhile this agent does the same, and waits
 * behind them.
 */
async function round(
  ours: RwLock,
  theirs: readonly RwLock[],
  passMs: number,
): Promise<{ served: number[]; turns: number[] }> {
  ours.writer.lock();
  const served: number[] = [];
  const turns: number[] = [];
  const waits = theirs.map(async (lock, index) => {
    await lock.writer.lockAsync();
    served.push(index);
    turns.push(writeOn(lock, passMs));
  });
  turns.unshift(writeOn(ours, passMs));
  const last = ours.writer.lockAsync();
  await Promise.all([...waits, last]);
  ours.writer.unlock();
  return { served, turns };
}

describe('writers', () => {
  test('a writer locks again past waiting writers, for at most one turn', async () => {
    const {
      ours,
      theirs: [other],
    } = create();
    ours.writer.lock();
    const wait = other.writer.lockAsync();
    const took = writeOn(ours, TURN_MS / 20);
    expect(took).toBeGreaterThan(TURN_MS / 20);
    expect(took).toBeLessThan(2 * TURN_MS);
    await wait;
    expect(other.writer.owned).toBe(true);
    other.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('inspect() and arena.inspect() list a writer that competes as a waiter, not as a second holder', async () => {
    const {
      ours,
      theirs: [other],
    } = create();
    const id = others[0]?.agentId;
    ours.writer.lock();
    const wait = other.writer.lockAsync();
    const uses = (by = arena): unknown => by.inspect().agents.find(({ agent }) => agent === id);
    for (const isWritten of [false, true]) {
      if (isWritten) ours.writer.lock();
      else ours.writer.unlock();
      for (const by of [arena, stranger]) expect(uses(by)).toMatchObject({ holds: [], waits: [{ kind: 'lock' }] });
      expect(ours.inspect()).toMatchObject({ writer: isWritten ? arena.agentId : 0, waitingWriters: [{ agent: id }] });
    }
    // The turn ends. Now the lock is on its way to that writer.
    writeOn(ours, TURN_MS / 20);
    expect(ours.inspect()).toMatchObject({ writer: id, waitingWriters: [] });
    expect(uses()).toMatchObject({ holds: [{ kind: 'lock' }], waits: [] });
    // A stranger cannot read the lock's word. To it, the writer waits until the writer has seen its grant.
    expect(uses(stranger)).toMatchObject({ holds: [], waits: [{ kind: 'lock' }] });
    await wait;
    for (const by of [arena, stranger]) expect(uses(by)).toMatchObject({ holds: [{ kind: 'lock' }], waits: [] });
    other.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test.each([TURN_MS / 500, TURN_MS / 20, TURN_MS, 10 * TURN_MS])(
    'a writer with w writers before it gets the lock after w + 1 turns, in the order of arrival, with passes of %d ms',
    async (passMs) => {
      const { ours, theirs } = create();
      // The first turns measure how many passes fit in a turn.
      for (let rounds = 0; rounds < 40; rounds++) await round(ours, theirs, passMs);
      const { served, turns } = await round(ours, theirs, passMs);
      expect(served).toEqual([0, 1, 2]);
      expect(turns).toHaveLength(theirs.length + 1);
      for (const took of turns) expect(took).toBeLessThan(TURN_MS + 2 * passMs);
      expectAtRest(arena, ours.handle);
    },
  );

  test('with the order fifo each unlock hands the lock over', async () => {
    const {
      ours,
      theirs: [other],
    } = create('fifo');
    ours.writer.lock();
    const wait = other.writer.lockAsync();
    ours.writer.unlock();
    expect(ours.writer.tryLock()).toBe(false);
    await wait;
    other.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a writer that unlocks and does not come back leaves the lock to the waiter at once', async () => {
    const {
      ours,
      theirs: [other],
    } = create();
    ours.writer.lock();
    const wait = other.writer.lockAsync();
    ours.writer.unlock();
    await wait;
    expect(other.writer.owned).toBe(true);
    other.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a writer that is cancelled during a turn leaves no trace', async () => {
    const {
      ours,
      theirs: [other],
    } = create();
    ours.writer.lock();
    const stop = new AbortController();
    const wait = other.writer.lockAsync({ signal: stop.signal }).catch((reason: unknown) => reason);
    ours.writer.unlock();
    ours.writer.lock();
    stop.abort('enough');
    expect(await wait).toBe('enough');
    ours.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('free() throws while a writer waits, even in a turn, when the lock itself is free', async () => {
    const {
      ours,
      theirs: [other],
    } = create();
    ours.writer.lock();
    const wait = other.writer.lockAsync();
    ours.writer.unlock();
    expect(() => ours.free()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
    await wait;
    other.writer.unlock();
    expectAtRest(arena, ours.handle);
    ours.free();
  });
});

describe('readers and writers', () => {
  test('during a turn, the first unlock after the arrival of a reader admits the reader', async () => {
    const {
      ours,
      theirs: [writer, reader],
    } = create();
    ours.writer.lock();
    const write = writer.writer.lockAsync();
    ours.writer.unlock();
    ours.writer.lock();
    const read = reader.reader.lockAsync();
    ours.writer.unlock();
    expect(ours.writer.tryLock()).toBe(false);
    expect(ours.inspect().readers).toHaveLength(1);
    await read;
    // The turn has ended. The waiting writer is next, not the running one.
    reader.reader.unlock();
    expect(ours.writer.tryLock()).toBe(false);
    await write;
    writer.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a reader that arrives while the lock is free in a turn waits for one writer', async () => {
    const {
      ours,
      theirs: [writer, reader],
    } = create();
    ours.writer.lock();
    const write = writer.writer.lockAsync();
    ours.writer.unlock();
    expect(reader.reader.tryLock()).toBe(false);
    const read = reader.reader.lockAsync();
    await write;
    writer.writer.unlock();
    await read;
    reader.reader.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a downgrade ends the turn', async () => {
    const {
      ours,
      theirs: [writer],
    } = create();
    ours.writer.lock();
    const write = writer.writer.lockAsync();
    ours.writer.unlock();
    ours.writer.lock();
    const reading = ours.downgrade();
    reading.release();
    expect(ours.writer.tryLock()).toBe(false);
    await write;
    writer.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('when the only waiting writer, the successor, is cancelled while readers hold the lock, waiting readers enter', async () => {
    const {
      ours,
      theirs: [writer, reader],
    } = create();
    ours.writer.lock();
    const stop = new AbortController();
    const write = writer.writer.lockAsync({ signal: stop.signal }).catch((reason: unknown) => reason);
    ours.writer.unlock();
    ours.writer.lock();
    const reading = ours.downgrade();
    const read = reader.reader.lockAsync();
    stop.abort('enough');
    expect(await write).toBe('enough');
    await read;
    reader.reader.unlock();
    reading.release();
    expectAtRest(arena, ours.handle);
  });
});

test('create() with an order that does not exist throws a TypeError', () => {
  expect(() => RwLock.create({ arena, order: 'lifo' as never })).toThrow(
    /order must be 'turns' or 'fifo': received "lifo"/,
  );
  expect(() => RwLock.create({ arena, order: null as never })).toThrow(TypeError);
});
