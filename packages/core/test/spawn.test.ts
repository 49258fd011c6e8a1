// Tests `spawn` with real worker threads, and with a web worker that only notes what it is told.

import { MessageChannel, Worker } from 'node:worker_threads';
import { once } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  Arena,
  Region,
  Semaphore,
  spawn,
  type ReclaimReport,
  type SpawnedWorker,
  type SpawnOptions,
} from '../src/index.ts';

const URL_OF_WORKER = new URL('./children/spawned.mjs', import.meta.url);

const arena = Arena.create({ maxPages: 16 });

function slot(): Semaphore {
  return Semaphore.create(1, { arena, name: 'slot' });
}

function start(
  semaphore: Semaphore,
  how: string,
  options: SpawnOptions & { readonly more?: unknown } = {},
): SpawnedWorker<Worker> {
  const { more, ...others } = options;
  return spawn<Worker>(URL_OF_WORKER, { arena, data: { semaphore, how, more }, ...others });
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

describe('a worker thread', () => {
  test.each([
    ['its natural end', 0],
    ['an exit code', 7],
  ] as const)(
    'a worker thread that ends by %s is recovered before ended resolves with the exit code',
    async (how, code) => {
      const semaphore = slot();
      const reports: ReclaimReport[] = [];
      const { ended } = start(semaphore, how, { onReclaim: (report) => reports.push(report) });
      expect(await ended).toBe(code);
      expect([semaphore.available, reports.map(({ permits }) => permits.length)]).toEqual([1, [1]]);
      semaphore.free();
    },
  );

  test('a worker thread that fails is recovered before ended rejects with its error', async () => {
    const semaphore = slot();
    const failure = await failureOf(start(semaphore, 'an error').ended);
    expect(failure).toMatchObject({ message: 'the worker failed' });
    expect(semaphore.available).toBe(1);
  });

  test('a worker thread that is terminated is recovered when terminate() resolves', async () => {
    const semaphore = slot();
    const { worker, ended, terminate } = start(semaphore, 'terminate');
    await once(worker, 'message');
    expect(semaphore.available).toBe(0);
    await terminate();
    expect([semaphore.available, await ended]).toEqual([1, 1]);
  });

  test('a worker thread whose module does not exist rejects', async () => {
    const { ended } = spawn(new URL('./children/no-such-file.mjs', import.meta.url), { arena });
    expect(String(await failureOf(ended))).toContain('no-such-file');
  });

  test('a worker thread whose watch was stopped keeps what it held, until a thread reclaims it', async () => {
    const semaphore = slot();
    const { watch, ended } = start(semaphore, 'its natural end');
    watch.stop();
    await ended;
    expect(semaphore.available).toBe(0);
    arena.reclaimDead();
    expect(semaphore.available).toBe(1);
  });

  test('gets handles in place of primitives, also in arrays and plain objects, and everything else as it is', async () => {
    const semaphore = slot();
    const region = Region.create(8, { arena });
    const cycle: { itself?: unknown } = {};
    cycle.itself = cycle;
    const more = {
      list: [region, 5],
      handle: region.handle,
      date: new Date(0),
      map: new Map([[1, 2]]),
      nothing: null,
      cycle,
    };
    const { worker, ended } = start(semaphore, 'its natural end', { more, name: 'walker' });
    const [message] = (await once(worker, 'message')) as [{ more: typeof more }];
    const got = message.more as unknown as { list: [{ address: number }, number]; cycle: { itself: unknown } };
    expect([got.list[0].address, got.list[1]]).toEqual([region.handle.address, 5]);
    expect(message.more).toMatchObject({ date: new Date(0), map: new Map([[1, 2]]), nothing: null });
    expect((got as unknown as { handle: { address: number } }).handle.address).toBe(region.handle.address);
    expect(got.cycle.itself).toBe(got.cycle);
    // The caller's own objects are unchanged.
    expect(more.list[0]).toBe(region);
    await ended;
  });

  test('a worker thread that the caller has created is watched, and gets the data as its first message', async () => {
    const semaphore = slot();
    const { port1, port2 } = new MessageChannel();
    const own = new Worker(URL_OF_WORKER, {
      workerData: { semaphore: semaphore.handle, how: 'a message' },
      execArgv: [],
    });
    const { worker, ended } = spawn(own, { arena, data: { port: port1 }, transfer: [port1] });
    expect(worker).toBe(own);
    expect(await once(port2, 'message')).toEqual(['moved']);
    expect(await ended).toBe(0);
    expect(semaphore.available).toBe(1);
    port2.close();
  });

  test('gets a file: or data: URL as a string', async () => {
    const { ended } = spawn('data:text/javascript,process.exit(3)', { arena });
    expect(await ended).toBe(3);
    const semaphore = slot();
    expect(await spawn(URL_OF_WORKER.href, { arena, data: { semaphore, how: '' } }).ended).toBe(0);
  });
});

/** A web worker that notes what it is told. */
class FakeWorker {
  static readonly all: FakeWorker[] = [];
  readonly made: readonly unknown[];
  readonly posted: unknown[][] = [];
  terminated = 0;

  constructor(...made: readonly unknown[]) {
    this.made = made;
    FakeWorker.all.push(this);
  }

  postMessage(...message: unknown[]): void {
    this.posted.push(message);
  }

  terminate(): void {
    this.terminated += 1;
  }
}

/** Takes the threads of Node away until `vi.unstubAllGlobals`. */
function inPage(worker: unknown): void {
  vi.stubGlobal('process', Object.create(process, { getBuiltinModule: { value: undefined } }));
  vi.stubGlobal('Worker', worker);
}

describe('a web worker', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    FakeWorker.all.length = 0;
  });

  test('is a module, is watched, and gets the handles as its first message', async () => {
    inPage(FakeWorker);
    const semaphore = slot();
    const { worker, ended, watch, terminate } = spawn('worker.js', { arena, data: semaphore, name: 'page' });
    const [made] = FakeWorker.all as [FakeWorker];
    expect(worker).toBe(made);
    expect(made.made).toEqual(['worker.js', { type: 'module', name: 'page' }]);
    expect(made.posted).toEqual([[semaphore.handle, []]]);
    await terminate();
    expect([await ended, made.terminated]).toEqual([undefined, 1]);
    watch.stop();
  });

  test('a web worker without data gets no message', () => {
    inPage(FakeWorker);
    spawn('worker.js', { arena }).watch.stop();
    expect(FakeWorker.all.map(({ posted }) => posted)).toEqual([[]]);
  });

  test('is terminated if its data cannot be cloned', () => {
    const failure = new Error('could not be cloned');
    class Refusing extends FakeWorker {
      override postMessage(): void {
        throw failure;
      }
    }
    inPage(Refusing);
    expect(() => spawn('worker.js', { arena, data: { call: () => 0 } })).toThrow(failure);
    expect(FakeWorker.all.map(({ terminated }) => terminated)).toEqual([1]);
  });

  test('where there is none throws an UnsupportedError', () => {
    inPage(undefined);
    expect(() => spawn('worker.js', { arena })).toThrow(expect.objectContaining({ code: 'SLUICE_UNSUPPORTED' }));
  });
});

describe('wrong arguments of spawn()', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  const wrong = (value: unknown): never => value as never;
  test.each([
    ['undefined', () => spawn(wrong(undefined)), TypeError, "spawn expects the URL of a worker's module, or a worker"],
    ['a number', () => spawn(wrong(5)), TypeError, 'received 5. No worker was started.'],
    ['an object that is no worker', () => spawn(wrong({})), TypeError, 'The worker must be a Worker'],
    ['an unknown option', () => spawn('w.js', wrong({ workerData: 1 })), TypeError, 'Unknown option "workerData"'],
    [
      'a name that is no string',
      () => spawn('w.js', wrong({ name: 5 })),
      TypeError,
      'name must be a string: received 5',
    ],
    [
      'a transfer that is no array',
      () => spawn('w.js', wrong({ transfer: 5 })),
      TypeError,
      'transfer must be an array',
    ],
    ['an onReclaim that is no function', () => spawn('w.js', wrong({ onReclaim: 5 })), TypeError, 'onReclaim must be'],
    ['an arena that is none', () => spawn('w.js', wrong({ arena: {} })), TypeError, 'The arena must be an Arena'],
  ] as const)('spawn() refuses %s, and starts no worker', (_what, call, kind, says) => {
    inPage(FakeWorker);
    expect(call).toThrow(kind);
    expect(call).toThrow(says);
    expect(FakeWorker.all).toEqual([]);
  });

  test('spawn() refuses an arena that this thread has left', () => {
    inPage(FakeWorker);
    const left = Arena.create({ maxPages: 8 });
    left.leave();
    expect(() => spawn('worker.js', { arena: left })).toThrow('has left the arena');
    expect(FakeWorker.all).toEqual([]);
  });

  test('spawn() refuses a name for a worker that was passed', () => {
    inPage(FakeWorker);
    const worker = new FakeWorker();
    FakeWorker.all.length = 0;
    expect(() => spawn(worker as never, { arena, name: 'page' })).toThrow('name is for a worker that spawn starts');
    expect(worker.posted).toEqual([]);
  });

  test('spawn() refuses data that cannot be cloned', () => {
    expect(() => spawn(URL_OF_WORKER, { arena, data: { call: () => 0 } })).toThrow(/could not be cloned/);
  });
});
