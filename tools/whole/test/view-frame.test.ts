// Tests the frames that a view reads from an arena.

import { depth, Random } from '@sluice/harness';
import { describe, expect, test, vi } from 'vitest';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { CapacitorLock } from '../../../packages/capacitor/src/index.ts';
import { TALLY as REAL_TALLY } from '../../../packages/capacitor/src/kernel/layout.ts';
import { TtsLock } from '../../../packages/classics/src/index.ts';
import { Arena, Semaphore, type ArenaHandle } from '../../../packages/core/src/index.ts';
import {
  AGENT_ARMED,
  AGENT_OS_THREAD,
  HEADER_AGENT_POOL,
  TURN,
  TURN_OF,
} from '../../../packages/core/src/kernel/format.ts';
import { contextOf } from '../../../packages/core/src/internal.ts';
import { ARMED_WAITS, records } from '../../../packages/core/src/report.ts';
import { Mutex } from '../../../packages/mutex/src/index.ts';
import { ViewedArenas } from '../../../packages/inspect/src/view/viewed-arenas.ts';
import { MAX_FINDING_LINES, MAX_MARKS, MAX_ROWS, pauseAfter } from '../../../packages/inspect/src/view/frame-bounds.ts';
import type { Frame } from '../../../packages/inspect/src/view/frame.ts';
import { gateFacts, TALLY } from '../../../packages/inspect/src/view/gate-facts.ts';
import { KnownLives } from '../../../packages/inspect/src/view/known-lives.ts';

/** A view with a clock that each look moves by `step` ms. */
function viewOf(
  handles: readonly ArenaHandle[],
  step = 0,
): ViewedArenas & { readonly clock: { now: number; step: number } } {
  const clock = { now: 0, step };
  const view = new ViewedArenas('process 1, test', () => (clock.now += clock.step));
  for (const handle of handles) view.add(handle, true);
  return Object.assign(view, { clock });
}

const frameOf = async (view: ViewedArenas, arena = '', filter = ''): Promise<Frame> =>
  JSON.parse(await view.frame(arena, filter)) as Frame;

const frame = async (arena: Arena, filter = ''): Promise<NonNullable<Frame['arena']>> => {
  const { arena: shown, failure } = await frameOf(viewOf([arena.handle]), '', filter);
  if (shown === undefined) throw new Error(failure);
  return shown;
};

describe('a frame', () => {
  test('has primitives with their holders and lines, agents, and what looks wrong', async () => {
    const arena = Arena.create({ maxPages: 4 });
    const door = Semaphore.create(1, { arena, name: 'door' });
    Semaphore.create(3, { arena, name: 'free' });
    door.acquire();
    const waits = door.acquireAsync();
    const { primitives, agents, findings, counts, id, maxPages } = await frame(arena);
    expect({ counts, id, maxPages }).toEqual({
      counts: { primitives: 2, agents: 1, waits: 1 },
      id: arena.id,
      maxPages: 4,
    });
    expect(primitives).toMatchObject([
      { name: 'door', cycle: 'possible', holders: [{ agent: 1 }], waiters: [{ agent: 1, isAsync: true }] },
      { name: 'free', cycle: '', holders: [], waiters: [] },
    ]);
    expect(agents).toMatchObject([
      { agent: 1, life: 'alive', holds: "semaphore 'door'", waits: "semaphore 'door'", isStuck: true },
    ]);
    expect(findings.map(([head]) => head)).toEqual([
      expect.stringMatching(/^Possible deadlock: an agent waits for itself/),
    ]);
    door.release();
    await waits;
    door.release();
  });

  test('a frame of an arena with more than it shows has those in use, and says how many there are', async () => {
    const arena = Arena.create({ maxPages: 64 });
    const all = Array.from({ length: MAX_ROWS + 20 }, (_, n) => Semaphore.create(1, { arena, name: `s ${n}` }));
    const last = all.at(-1);
    last?.acquire();
    const waits = Array.from({ length: MAX_MARKS + 5 }, async () => last?.acquireAsync());
    const { primitives, matches, counts } = await frame(arena);
    expect(primitives).toHaveLength(MAX_ROWS);
    expect([matches.primitives, counts.primitives]).toEqual([MAX_ROWS + 20, MAX_ROWS + 20]);
    expect(primitives.at(-1)).toMatchObject({ name: `s ${MAX_ROWS + 19}`, moreWaiters: 5 });
    expect(primitives.at(-1)?.waiters).toHaveLength(MAX_MARKS);
    last?.release(MAX_MARKS + 6);
    await Promise.all(waits);
  });

  test('has a bounded number of lines about what looks wrong', async () => {
    const arena = Arena.create({ maxPages: 16 });
    const all = Array.from({ length: MAX_FINDING_LINES }, () => Semaphore.create(1, { arena }));
    const waits = all.map((each) => {
      each.acquire();
      return each.acquireAsync();
    });
    const { findings } = await frame(arena);
    expect(findings.flat().length).toBeLessThanOrEqual(MAX_FINDING_LINES);
    expect(findings.length).toBeGreaterThan(0);
    for (const each of all) each.release();
    await Promise.all(waits);
  });

  test('has what the filter accepts: all its words, in names, kinds, agents and states', async () => {
    const arena = Arena.create({ maxPages: 4 });
    const door = Semaphore.create(1, { arena, name: 'Door one' });
    Semaphore.create(1, { arena, name: 'door two' });
    Mutex.create({ arena, name: 'lock' });
    door.acquire();
    const waits = door.acquireAsync();
    const names = async (filter: string): Promise<string[]> =>
      (await frame(arena, filter)).primitives.map(({ name }) => name);
    expect(await names('door')).toEqual(['Door one', 'door two']);
    expect(await names('ONE semaphore')).toEqual(['Door one']);
    expect(await names('#1')).toEqual(['Door one']);
    expect(await names('deadlock')).toEqual(['Door one']);
    expect(await names('waiting')).toEqual(['Door one']);
    expect(await names('no such')).toEqual([]);
    expect((await frame(arena, 'lock')).agents).toEqual([]);
    expect((await frame(arena, '#1')).agents).toHaveLength(1);
    door.release();
    await waits;
    door.release();
  });

  test('shows characters that would turn the text around them, and control characters, as escapes', async () => {
    const arena = Arena.create({ maxPages: 4 });
    Semaphore.create(1, { arena, name: '<b>\u202Ea\u0007\u0085"' });
    expect((await frame(arena)).primitives[0]?.name).toBe('<b>\\u202ea\\u0007\\u0085"');
  });
});

describe('the turn and the platoon of a gate', () => {
  test('TALLY is the word of capacitors', () => {
    expect(TALLY).toBe(REAL_TALLY);
  });

  test('a capacitor shows its platoons and the departures to come', async () => {
    const arena = Arena.create({ maxPages: 4 });
    const lock = CapacitorLock.create(TtsLock.create({ arena }), { arena, name: 'gate', bypassLimit: 3 });
    lock.lock();
    expect((await frame(arena, 'gate')).primitives[0]?.platoon).toEqual({ limit: 3, left: 3 });
    lock.unlock();
  });

  test('a mutex in turns shows the agent whose turn it is, by the low bits of its id', () => {
    const arena = Arena.create({ maxPages: 4 });
    const mutex = Mutex.create({ arena });
    const [block = 0] = arena.inspect().blocks.flatMap(({ kind, address }) => (kind === 'lock' ? [address] : []));
    const { words } = contextOf(arena);
    expect(gateFacts({ words }, block, [1, 258])).toEqual({ turn: { of: 0 } });
    words.store32(block + TURN, (258 << TURN_OF) | 5);
    expect(gateFacts({ words }, block, [1, 258])).toEqual({ turn: { of: 258 } });
    expect(gateFacts({ words }, block, [1])).toEqual({ turn: { of: 0 } });
    words.store32(block + TURN, 0);
    mutex.run(() => undefined);
  });

  test('a mutex in strict order and a semaphore show neither', async () => {
    const arena = Arena.create({ maxPages: 4 });
    Mutex.create({ arena, order: 'fifo' });
    Semaphore.create(1, { arena });
    for (const { turn, platoon } of (await frame(arena)).primitives)
      expect([turn, platoon]).toEqual([undefined, undefined]);
  });
});

describe('how often a frame is made', () => {
  const arena = Arena.create({ maxPages: 4 });

  test('frames take at most one ms in fifty, and come at most ten times a second', () => {
    expect([0, 1, 4, 1e6].map((cost) => pauseAfter(cost, false))).toEqual([95, 95, 200, 10_000]);
    expect([0, 4, 1e6].map((cost) => pauseAfter(cost, true))).toEqual([95, 200, 250]);
  });

  test('two pages that ask at once get the same frame', async () => {
    const view = viewOf([arena.handle]);
    const first = await view.frame('', '');
    expect(await view.frame('', '')).toBe(first);
    const made = Semaphore.create(1, { arena });
    view.clock.now += 94;
    expect(await view.frame('', '')).toBe(first);
    view.clock.now += 1;
    expect(await view.frame('', '')).not.toBe(first);
    made.free();
  });

  test('another filter waits until a frame may be made', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const view = viewOf([arena.handle]);
      await view.frame('', '');
      view.clock.now += 45;
      let came = false;
      const other = view.frame('', 'x').then(() => (came = true));
      await vi.advanceTimersByTimeAsync(49);
      expect(came).toBe(false);
      view.clock.now += 50;
      await vi.advanceTimersByTimeAsync(1);
      await other;
    } finally {
      vi.useRealTimers();
    }
  });

  test('the cost of a frame is the least of the last five, and the first four do not slow the page down', async () => {
    const view = viewOf([arena.handle], 10);
    const everies: number[] = [];
    for (let frames = 0; frames < 6; frames++) {
      view.clock.now += 1000;
      everies.push((await frameOf(view)).every);
    }
    expect(everies).toEqual([250, 250, 250, 250, 500, 500]);
    // A frame that was made in no time counts for five frames.
    view.clock.step = 0;
    view.clock.now += 1000;
    expect((await frameOf(view)).every).toBe(95);
    view.clock.step = 10;
    view.clock.now += 1000;
    expect((await frameOf(view)).every).toBe(95);
  });
});

describe('arenas', () => {
  test('the page chooses one, and gets the first one if there is no such arena', async () => {
    const [one, two] = [Arena.create({ maxPages: 4 }), Arena.create({ maxPages: 4 })];
    const view = viewOf([one.handle, two.handle, one.handle]);
    expect((await frameOf(view)).arenas).toEqual([one.id, two.id]);
    view.clock.now += 1000;
    expect((await frameOf(view, two.id)).arena?.id).toBe(two.id);
    view.clock.now += 1000;
    expect((await frameOf(view, 'x')).arena?.id).toBe(one.id);
  });

  test('an arena that no agent is left in is given up, unless the program asked for it', async () => {
    const [kept, gone] = [Arena.create({ maxPages: 4 }), Arena.create({ maxPages: 4 })];
    const view = viewOf([kept.handle]);
    view.add(gone.handle, false);
    expect((await frameOf(view)).arenas).toEqual([kept.id, gone.id]);
    kept.leave();
    gone.leave();
    view.clock.now += 1000;
    expect((await frameOf(view)).arenas).toEqual([kept.id]);
  });

  test('without an arena a frame has none', async () => {
    expect(await frameOf(viewOf([]))).toEqual({ every: 95, program: 'process 1, test', arenas: [] });
  });
});

describe('the lives of agents', () => {
  const arena = Arena.create({ maxPages: 4 });
  const { words } = contextOf(arena);
  const [{ record } = { record: 0 }] = [...records(words, HEADER_AGENT_POOL)].filter(({ owner }) => owner !== 0);

  test('where the platform lists its threads, no answer is used up', () => {
    const tasks = new Set([words.load32(record + AGENT_OS_THREAD)]);
    const lives = new KnownLives(words, (osThread) => tasks.has(osThread));
    if (words.load32(record + AGENT_OS_THREAD) === 0) return;
    expect(lives.of(record)).toBe('alive');
    tasks.clear();
    expect(lives.of(record)).toBe('dead');
  });

  test('elsewhere an agent whose event loop does not turn is probed twice, and then not known to be alive', () => {
    const osThread = words.load32(record + AGENT_OS_THREAD);
    const armed = words.load32(record + AGENT_ARMED);
    words.store32(record + AGENT_OS_THREAD, 0);
    const lives = new KnownLives(words, undefined);
    words.store32(record + AGENT_ARMED, ARMED_WAITS - 1);
    expect([1, 2, 3, 4].map(() => lives.of(record))).toEqual([undefined, undefined, 'unknown', 'unknown']);
    // Its event loop has turned.
    words.store32(record + AGENT_ARMED, ARMED_WAITS);
    expect(lives.of(record)).toBe(undefined);
    words.store32(record + AGENT_ARMED, ARMED_WAITS - 1);
    expect(lives.of(record)).toBe(undefined);
    words.store32(record + AGENT_ARMED, armed);
    words.store32(record + AGENT_OS_THREAD, osThread);
  });
});

const TRIES = depth === 'full' ? 10_000 : 1000;
const HEADER_WORDS = 24;
const VALUES = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 64, 0x1234_5678];

test(`${TRIES} frames of an arena with a damaged word have the arena, or say why not, and the next frame is whole`, async () => {
  const random = new Random(33);
  const arena = Arena.create({ maxPages: 4 });
  const [lock, permits] = [Mutex.create({ arena, name: 'lock' }), Semaphore.create(1, { arena, name: 'permits' })];
  const jobs = BoundedBuffer.create({ arena, codec: 'int32', capacity: 1, name: 'jobs' });
  const gate = CapacitorLock.create(TtsLock.create({ arena }), { arena, bypassLimit: 2 });
  lock.lock();
  permits.acquire();
  gate.lock();
  jobs.push(1);
  const waits = [lock.lockAsync(), permits.acquireAsync(), jobs.pushAsync(2)];
  const view = viewOf([arena.handle]);
  const words = new Int32Array(arena.handle.memory.buffer, 0, arena.inspect().used / 4);
  const outcomes = { whole: 0, failed: 0 };
  for (let tries = 0; tries < TRIES; tries++) {
    // Every fourth one is in the header, which few words of an arena belong to.
    const at = random.below(tries % 4 === 0 ? HEADER_WORDS : words.length);
    const [before = 0, value = 0] = [words[at], VALUES[random.below(VALUES.length)]];
    words[at] = value;
    view.clock.now += 20_000;
    const text = await view.frame('', '');
    const { arena: shown, failure } = JSON.parse(text) as Frame;
    expect(text.length).toBeLessThan(500_000);
    if (shown === undefined) expect(failure).toEqual(expect.any(String));
    outcomes[shown === undefined ? 'failed' : 'whole'] += 1;
    words[at] = before;
  }
  view.clock.now += 20_000;
  expect((await frameOf(view)).arena?.counts.waits).toBe(3);
  expect(outcomes.whole).toBeGreaterThan(TRIES / 2);
  expect(outcomes.failed).toBeGreaterThan(0);
  lock.unlock();
  permits.release();
  gate.unlock();
  jobs.pop();
  await Promise.all(waits);
});
