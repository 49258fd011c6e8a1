// Tests the text of a report.

import { afterEach, expect, test, vi } from 'vitest';
import { Arena, Semaphore } from '../../core/src/index.ts';
import { AtomicWords } from '../../core/src/kernel/words.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Condition, Mutex } from '../../mutex/src/index.ts';
import { findDeadlocks, formatReport } from '../src/index.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function newArena(): Arena {
  return Arena.create({ maxPages: 64 });
}

test('an arena at rest has a report that says so, with the agents', () => {
  const arena = newArena();
  Semaphore.create(1, { arena });
  const lines = formatReport(arena).split('\n');
  expect(lines[0]).toBe('Nothing looks wrong: no deadlock, no dead agent.');
  expect(lines).toContain(
    `Primitives in use: 0, 0 waits, 1 agent (arena ${arena.id}, ${arena.inspect().pages} of at most 64 pages)`,
  );
  expect(lines.at(-1)).toMatch(/^ {2}agent 1 \(.*\): .*node, .*alive, joined \d+ ms ago$/);
});

test('a thread that waits for itself through runAsync is a possible deadlock of one agent', async () => {
  const arena = newArena();
  const lock = Mutex.create({ arena, name: 'accounts' });
  await lock.runAsync(async () => {
    const stop = new AbortController();
    const inner = lock.lockAsync({ signal: stop.signal });
    const [first, second] = formatReport(arena).split('\n');
    expect(findDeadlocks(arena)).toMatchObject([
      { certain: false, agents: [arena.agentId], waits: [{ heldBy: arena.agentId, how: 'async' }] },
    ]);
    expect(first).toMatch(/^Possible deadlock: an agent waits for itself\./);
    expect(second).toMatch(/^ {2}agent 1 .*holds lock 'accounts' and awaits lock 'accounts' for \d+ ms$/);
    stop.abort();
    await expect(inner).rejects.toThrow();
  });
  expect(findDeadlocks(arena)).toEqual([]);
});

test('a waiter at a condition and a waiter for its lock are a possible deadlock, and the report says presumably', async () => {
  const arena = newArena();
  const [inner, outer] = [Mutex.create({ arena, name: 'inner' }), Mutex.create({ arena, name: 'outer' })];
  const room = Condition.create(inner, { name: 'room' });
  await outer.lockAsync();
  await inner.lockAsync();
  const waits = room.waitAsync();
  expect(formatReport(arena)).toMatch(/^Nothing looks wrong/);
  const other = openAs(secondAgent(arena), outer.handle, (handle) => Mutex.from(handle));
  const late = other.lockAsync();
  const lines = formatReport(arena).split('\n').slice(0, 3);
  expect(lines[0]).toMatch(/^Possible deadlock: 2 agents wait for each other\./);
  expect(lines.slice(1)).toContainEqual(
    expect.stringMatching(/^ {2}agent 1 .*holds lock 'outer' and awaits condition 'room' for \d+ ms$/),
  );
  expect(lines.slice(1)).toContainEqual(
    expect.stringMatching(/^ {2}agent 2 .*presumably notifies condition 'room' and awaits lock 'outer' for \d+ ms$/),
  );
  outer.unlock();
  await late;
  other.unlock();
  inner.run(() => room.notifyAll());
  await waits;
  inner.unlock();
});

test('a grant that a thread does not see is reported when its event loop has not turned for a quarter of a second', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(100_000);
  const arena = newArena();
  const lock = Mutex.create({ arena, name: 'accounts', order: 'fifo' });
  const other = openAs(secondAgent(arena), lock.handle, (handle) => Mutex.from(handle));
  // The first report asks whether the other agent exists. Only a turn of its event loop makes up for the answer.
  expect(formatReport(arena)).toMatch(/^Nothing looks wrong/);
  lock.lock();
  const theirs = other.lockAsync();
  const ours = lock.lockAsync();
  lock.unlock();
  vi.setSystemTime(100_249);
  expect(formatReport(arena)).toMatch(/^Nothing looks wrong/);
  vi.setSystemTime(102_100);
  const lines = formatReport(arena).split('\n');
  expect(lines[0]).toMatch(
    /^Unseen grant: agent 2 .*was granted lock 'accounts', but its event loop does not turn\. 1 waiter behind it\.$/,
  );
  expect(lines[1]).toBe(
    '  It has not returned to its event loop for 2.1 s: it runs other code, or it blocks outside of Sluice.',
  );
  expect(lines).toContainEqual(
    expect.stringMatching(/^ {2}agent 2 .*: .*alive, event loop has not turned for 2\.1 s, /),
  );
  await theirs;
  other.unlock();
  await ours;
  lock.unlock();
  await new Promise((resolve) => setImmediate(resolve));
  expect(formatReport(arena)).toMatch(/^Nothing looks wrong/);
  expect(arena.inspect().agents.map(({ stillSince }) => stillSince)).toEqual([undefined, undefined]);
});

test('equal waiters are one line with a count, the age of the oldest, and the agents', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(100_000);
  const arena = newArena();
  const permits = Semaphore.create(0, { arena, name: 'jobs' });
  const waits = Array.from({ length: 140 }, () => permits.acquireAsync());
  const wide = permits.acquireAsync(3);
  vi.setSystemTime(102_100);
  const lines = formatReport(arena).split('\n');
  expect(lines).toContainEqual(expect.stringMatching(/^ {4}140 async waits, the longest for 2\.1 s: agent 1 \(.*\)$/));
  expect(lines).toContainEqual(expect.stringMatching(/^ {4}async wait for 3 permits, for 2\.1 s: agent 1 \(.*\)$/));
  expect(lines).toContain("    awaits semaphore 'jobs' (141 times, the longest for 2.1 s)");
  permits.release(143);
  await Promise.all([...waits, wide]);
});

test('a section has at most the lines that the caller allows, and says how many it leaves out', () => {
  const arena = newArena();
  const all = Array.from({ length: 30 }, (_, index) => Semaphore.create(1, { arena, name: `number ${index}` }));
  for (const permits of all) permits.acquire();
  const lines = formatReport(arena, { lines: 4 }).split('\n');
  expect(lines.filter((line) => line.includes('held by'))).toHaveLength(4);
  expect(lines).toContain('  and 26 more lines');
  expect(
    formatReport(arena)
      .split('\n')
      .filter((line) => line.includes('held by')),
  ).toHaveLength(20);
});

test.each([
  [{ lines: 0 }, RangeError],
  [{ lines: 1.5 }, RangeError],
  [{ lines: '3' }, TypeError],
  [{ line: 3 }, TypeError],
])('formatReport(arena, %o) throws %o', (options, error) => {
  expect(() => formatReport(newArena(), options as object)).toThrow(error);
});

test('a value that is no arena is refused by name, and the default arena is reported without one', () => {
  for (const wrong of [7, null, {}, 'arena', newArena().handle]) {
    const message = expect.stringContaining('The arena') as string;
    for (const call of [formatReport, findDeadlocks])
      expect(() => call(wrong as never)).toThrow(expect.objectContaining({ name: 'TypeError', message }) as Error);
  }
  expect(formatReport().split('\n')[0]).toBe('Nothing looks wrong: no deadlock, no dead agent.');
  expect(findDeadlocks()).toEqual([]);
});

test('a report of an arena that this agent has left throws', () => {
  const arena = newArena();
  arena.leave();
  expect(() => formatReport(arena)).toThrow(/left/);
  expect(() => findDeadlocks(arena)).toThrow(/left/);
});

test('a report of ten times the waiters reads ten times the words, not a hundred times', async () => {
  const readsFor = async (waiters: number): Promise<number> => {
    const arena = newArena();
    const [one, other] = [Semaphore.create(0, { arena }), Mutex.create({ arena })];
    other.lock();
    const waits = Array.from({ length: waiters }, (_, at) => (at % 2 === 0 ? one.acquireAsync() : other.lockAsync()));
    let reads = 0;
    for (const read of ['get32', 'load32', 'get64', 'load64'] as const) {
      const real = Reflect.get(AtomicWords.prototype, read) as (this: AtomicWords, address: number) => never;
      vi.spyOn(AtomicWords.prototype, read).mockImplementation(function (this: AtomicWords, address: number) {
        reads += 1;
        return real.call(this, address);
      });
    }
    formatReport(arena);
    vi.restoreAllMocks();
    one.release(waiters);
    other.unlock();
    for (const [at, wait] of waits.entries()) {
      await wait;
      if (at % 2 === 1) other.unlock();
    }
    return reads;
  };
  const [some, many] = [await readsFor(1000), await readsFor(10_000)];
  expect(some).toBeGreaterThan(1000);
  expect(many).toBeLessThan(12 * some);
});
