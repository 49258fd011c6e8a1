// Tests what the lints find, on a clock that the test sets.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Arena, Semaphore } from '../../core/src/index.ts';
import { Mutex } from '../../mutex/src/index.ts';
import { RwLock } from '../../rw-lock/src/index.ts';
import { startLints, type LintFinding, type LintOptions } from '../src/index.ts';
import { DEFAULT_LIMITS, Linter } from '../src/lints/linter.ts';
import { emit, levelsIn } from '../src/lints/names.ts';
import { startTool, stopTool } from '../src/observe/observer.ts';
import { primitiveAt } from '../src/observe/used-primitive.ts';
import type { ObservedWait } from '../src/observe/tool.ts';
import { contextOf } from '../../core/src/internal.ts';

let clock = 0;
let isBusy = false;
let isTicking = false;
let turns: (() => void)[] = [];
let found: LintFinding[] = [];
let linter: Linter;
let arena: Arena;

beforeEach(() => {
  clock = 0;
  isBusy = false;
  isTicking = false;
  turns = [];
  found = [];
  arena = Arena.create({ maxPages: 16 });
  linter = new Linter(
    DEFAULT_LIMITS,
    {
      now: () => clock,
      soon: (turn) => turns.push(turn),
      isBusyMain: () => isBusy,
      setTicking: (isOn) => (isTicking = isOn),
    },
    (finding) => found.push(finding),
  );
  startTool(linter);
});

afterEach(() => {
  stopTool(linter);
});

function awaits(): void {
  for (const turn of turns.splice(0)) turn();
}

function names(): string[] {
  return found.map(({ lint, primitive }) => `${lint}: ${primitive}`);
}

/** A wait at the semaphore that ended. */
function waited(semaphore: Semaphore, how: 'blocking' | 'async', ms: number, ending: 'taken' | 'timed-out'): void {
  const primitive = primitiveAt(contextOf(arena), semaphore.handle.address);
  const wait: ObservedWait = { id: 1, primitive, how, began: clock };
  linter.waitBegins(wait);
  clock += ms;
  linter.waitEnds(wait, ending);
}

describe('held-across-await', () => {
  test('reports a lock once that is held for longer than 100 ms across an await', () => {
    const lock = Mutex.create({ arena, name: 'accounts' });
    for (let round = 0; round < 2; round++) {
      lock.lock();
      clock += 101;
      awaits();
      lock.unlock();
    }
    expect(names()).toEqual(["held-across-await: lock 'accounts'"]);
    expect(found[0]?.text).toMatch(/held lock 'accounts' for 101 ms, while it awaited something \(acquired at /);
    expect(found[0]?.place.length).toBeGreaterThan(0);
  });

  test('ignores a lock that is held for 100 ms, or without an await, and permits', () => {
    const lock = Mutex.create({ arena, name: 'accounts' });
    const pool = Semaphore.create(1, { arena, name: 'connections' });
    lock.lock();
    clock += 100;
    awaits();
    lock.unlock();
    lock.lock();
    clock += 5000;
    lock.unlock();
    pool.acquire();
    clock += 5000;
    awaits();
    pool.release();
    expect(names()).toEqual([]);
  });
});

test('a main thread with work that blocks for 10 ms is a finding of blocks-main', () => {
  const jobs = Semaphore.create(0, { arena, name: 'jobs' });
  waited(jobs, 'blocking', 50, 'taken');
  isBusy = true;
  waited(jobs, 'blocking', 9, 'taken');
  waited(jobs, 'async', 50, 'taken');
  expect(names()).toEqual([]);
  waited(jobs, 'blocking', 10, 'taken');
  expect(names()).toEqual(["blocks-main: semaphore 'jobs'"]);
});

test('the locks that a thread holds at its end are findings of never-released, and its permits are none', () => {
  const [one, other] = ['one', 'other'].map((name) => Mutex.create({ arena, name })) as [Mutex, Mutex];
  const jobs = Semaphore.create(1, { arena, name: 'jobs' });
  jobs.acquire();
  one.lock();
  other.lock();
  other.unlock();
  linter.ends();
  expect(names()).toEqual(["never-released: lock 'one'"]);
  one.unlock();
});

test('polling-timeouts reports 20 short timeouts in succession', () => {
  const jobs = Semaphore.create(0, { arena, name: 'jobs' });
  const time = (count: number, ms: number, ending: 'taken' | 'timed-out' = 'timed-out'): void => {
    for (let at = 0; at < count; at++) waited(jobs, 'blocking', ms, ending);
  };
  time(19, 10);
  time(1, 10, 'taken');
  time(19, 100);
  time(40, 101);
  expect(names()).toEqual([]);
  time(20, 100);
  expect(names()).toEqual(["polling-timeouts: semaphore 'jobs'"]);
});

test('writer-starved reports a writer that waits for more than a second, and no reader', () => {
  const lock = RwLock.create({ arena, name: 'index' });
  const wait = (side: 'read' | 'write', ms: number): void => {
    let primitive: ObservedWait['primitive'] | undefined;
    const catching = new (class extends Linter {
      override holdAsked(asked: ObservedWait['primitive']): unknown {
        primitive = asked;
        return undefined;
      }
    })(DEFAULT_LIMITS, { now: () => 0, soon: () => 0, isBusyMain: () => false, setTicking: () => 0 }, () => 0);
    startTool(catching);
    (side === 'read' ? lock.reader : lock.writer).run(() => undefined);
    stopTool(catching);
    if (primitive === undefined) throw new Error('not followed');
    const wait: ObservedWait = { id: 1, primitive, how: 'blocking', began: clock };
    linter.waitBegins(wait);
    clock += ms;
    linter.waitEnds(wait, 'taken');
  };
  wait('write', 1000);
  wait('read', 5000);
  expect(names()).toEqual([]);
  wait('write', 1001);
  expect(names()).toEqual(["writer-starved: lock 'index' (write)"]);
});

describe('stale-grant', () => {
  test('reports an async call that gets its permit after the loop has not turned for more than 250 ms', () => {
    const jobs = Semaphore.create(0, { arena, name: 'jobs' });
    waited(jobs, 'async', 250, 'taken');
    waited(jobs, 'async', 5000, 'timed-out');
    expect(names()).toEqual([]);
    waited(jobs, 'async', 251, 'taken');
    expect(names()).toEqual(["stale-grant: semaphore 'jobs'"]);
    expect(isTicking).toBe(false);
  });

  test('reports a loop that turns only right before the call goes on, and not one that turns every 200 ms', () => {
    const jobs = Semaphore.create(0, { arena, name: 'jobs' });
    const primitive = primitiveAt(contextOf(arena), jobs.handle.address);
    const wait: ObservedWait = { id: 1, primitive, how: 'async', began: clock };
    linter.waitBegins(wait);
    expect(isTicking).toBe(true);
    for (let tick = 0; tick < 10; tick++) {
      clock += 200;
      linter.tick();
    }
    linter.waitEnds(wait, 'taken');
    expect(names()).toEqual([]);
    linter.waitBegins(wait);
    clock += 300;
    linter.tick();
    linter.waitEnds(wait, 'taken');
    expect(names()).toEqual(["stale-grant: semaphore 'jobs'"]);
  });
});

describe('levels', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test('levels that are passed come before levels of the environment', () => {
    vi.stubEnv('SLUICE_LINTS', 'blocks-main=allow, stale-grant = deny');
    const levels = levelsIn({ 'stale-grant': 'allow' });
    expect([levels['blocks-main'], levels['stale-grant'], levels['writer-starved']]).toEqual([
      'allow',
      'allow',
      'warn',
    ]);
  });

  test.each([
    ['stale=deny', /SLUICE_LINTS: no lint has the name "stale"/],
    ['stale-grant', /level of stale-grant must be 'allow', 'warn' or 'deny': received undefined/],
  ])('the environment is refused: %s', (text, message) => {
    vi.stubEnv('SLUICE_LINTS', text);
    expect(() => startLints()).toThrow(message);
  });

  test('warn is a process warning with the code of the lint', async () => {
    const warned = new Promise<Error & { code?: string }>((resolve) => process.once('warning', resolve));
    emit('warn', 'stale-grant', 'the text');
    const { code, message } = await warned;
    expect([code, message]).toEqual(['SLUICE_STALE_GRANT', 'the text']);
  });

  test('deny is an uncaught MisuseError', async () => {
    const thrown: unknown[] = [];
    const before = process.rawListeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.once('uncaughtException', (error) => thrown.push(error));
    try {
      emit('deny', 'stale-grant', 'the text');
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      for (const listener of before) process.on('uncaughtException', listener as NodeJS.UncaughtExceptionListener);
    }
    expect(thrown).toEqual([expect.objectContaining({ code: 'SLUICE_MISUSE', message: 'Lint stale-grant: the text' })]);
  });

  test('a lint that is allowed finds nothing, and neither does one that was stopped', async () => {
    const findings: LintFinding[] = [];
    const limits = { heldAcrossAwait: 1 };
    const onFinding = (finding: LintFinding): void => void findings.push(finding);
    const holds = (): Promise<void> =>
      Mutex.create({ arena, name: 'accounts' }).runAsync(() => new Promise((resolve) => setTimeout(resolve, 20)));
    const allowed = startLints({ levels: { 'held-across-await': 'allow' }, limits, onFinding });
    await holds();
    allowed.stop();
    expect(findings).toEqual([]);
    const on = startLints({ limits, onFinding });
    await holds();
    on.stop();
    on.stop();
    expect(findings.map(({ lint }) => lint)).toEqual(['held-across-await']);
    await holds();
    expect(findings).toHaveLength(1);
  });
});

const MISUSES: readonly (readonly [options: unknown, message: RegExp])[] = [
  [{ levels: { stale: 'warn' } }, /levels: no lint has the name "stale"\. The names are held-across-await, /],
  [{ levels: { 'stale-grant': 'off' } }, /level of stale-grant must be 'allow', 'warn' or 'deny': received "off"/],
  [{ levels: 5 }, /levels must be an object/],
  [{ limits: 5 }, /limits must be an object/],
  [{ limits: { staleGrant: 0 } }, /staleGrant/],
  [{ limits: { staleGrants: 5 } }, /staleGrants/],
  [{ onFinding: 5 }, /must be a function/],
  [{ on: 5 }, /on/],
];

test.each(MISUSES)('startLints refuses %j', (options, message) => {
  expect(() => startLints(options as LintOptions)).toThrow(message);
});

test('a read-write lock that was released in each of its ways is no finding of never-released', async () => {
  for (const upgradeable of [false, true]) {
    const lock = RwLock.create({ arena, name: 'index', upgradeable });
    lock.reader.lock();
    lock.reader.unlock();
    lock.reader.tryLock();
    lock.reader.unlock();
    await lock.reader.lockAsync();
    lock.reader.unlock();
    await lock.reader.runAsync(() => Promise.resolve());
    lock.writer.lock();
    lock.downgrade();
    lock.reader.unlock();
  }
  linter.ends();
  expect(found).toEqual([]);
});

test('timeouts with an acquisition in between are no finding of polling-timeouts', () => {
  const jobs = Semaphore.create(1, { arena, name: 'jobs' });
  for (let n = 0; n < 25; n++) {
    waited(jobs, 'blocking', 1, 'timed-out');
    jobs.acquire();
    jobs.release();
  }
  expect(found).toEqual([]);
});

test('timeouts of calls that wait side by side are no finding of polling-timeouts', () => {
  const jobs = Semaphore.create(0, { arena, name: 'jobs' });
  const primitive = primitiveAt(contextOf(arena), jobs.handle.address);
  const waits = Array.from({ length: 25 }, (_, id): ObservedWait => ({ id, primitive, how: 'async', began: clock }));
  for (const wait of waits) linter.waitBegins(wait);
  for (const wait of waits) {
    clock += 1;
    linter.waitEnds(wait, 'timed-out');
  }
  expect(found).toEqual([]);
});

test('a lock is acquired and released although the program replaces stacks', () => {
  const lock = Mutex.create({ arena, name: 'accounts' });
  const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  try {
    for (const prepare of [(_: Error, sites: NodeJS.CallSite[]) => sites, () => raise(new Error('mine'))]) {
      Error.prepareStackTrace = prepare;
      lock.lock();
      lock.unlock();
    }
  } finally {
    if (before === undefined) Reflect.deleteProperty(Error, 'prepareStackTrace');
    else Object.defineProperty(Error, 'prepareStackTrace', before);
  }
  expect(lock.inspect().owner).toBe(0);
});

function raise(failure: Error): never {
  throw failure;
}
