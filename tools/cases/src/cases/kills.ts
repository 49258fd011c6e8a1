// Workers that end while they hold something, and the main thread's watch, which finds that out.

import type {
  BarrierHandle,
  BoundedBufferHandle,
  CountdownLatchHandle,
  PriorityHandle,
  KeyedMutexHandle,
  LimitHandle,
  LockManagerHandle,
  MutexHandle,
  OnceHandle,
  ResizableHandle,
  RwLockHandle,
  SemaphoreHandle,
} from 'sluice';
import { check, equal, failure, type Ending, type Job, type MainTools, type WorkerTools } from '../tools.ts';

/** How long a test waits for what must not come. */
const NOT_MS = 1500;

interface Data {
  readonly then: Ending;
  /** The worker ends when there is a permit, if it ends by itself. */
  readonly end: SemaphoreHandle;
  readonly permits: SemaphoreHandle;
  readonly never: SemaphoreHandle;
  readonly mutex: MutexHandle;
  readonly written: RwLockHandle;
  readonly values: BoundedBufferHandle;
  readonly parts: CountdownLatchHandle;
  readonly limit: LimitHandle;
  readonly ranked: PriorityHandle;
  readonly sized: ResizableHandle;
  readonly keys: KeyedMutexHandle;
  readonly names: LockManagerHandle;
  readonly meeting: BarrierHandle;
  readonly built: OnceHandle;
}

export const jobs = {
  async hold({ sluice, arena, say }: WorkerTools, data: Data): Promise<void> {
    sluice.Semaphore.from(data.permits).acquire(2);
    sluice.Mutex.from(data.mutex).lock();
    sluice.RwLock.from(data.written).writer.lock();
    new sluice.BufferWriter<number>(sluice.BoundedBuffer.from(data.values)).claim(3);
    sluice.CountdownLatch.from(data.parts).claim(1);
    sluice.PrioritySemaphore.from(data.ranked).acquire();
    sluice.ResizableSemaphore.from(data.sized).acquire(2);
    sluice.KeyedMutex.from(data.keys).lock('key');
    sluice.Barrier.from(data.meeting).claim();
    // Functions that never return.
    const begun = [
      (body: () => Promise<void>) => sluice.createLimit.from(data.limit)(body),
      (body: () => Promise<void>) => sluice.LockManager.from(data.names).request('name', body),
      (body: () => Promise<void>) => sluice.Once.from(data.built).runAsync(body),
    ].map((run) => new Promise<void>((begins) => void run(() => (begins(), new Promise(() => undefined)))));
    await Promise.all(begun);
    say(arena.agentId);
    if (data.then === 'exits' || data.then === 'throws') {
      await sluice.Semaphore.from(data.end).acquireAsync();
      if (data.then === 'exits') (globalThis as unknown as { process: { exit(code: number): never } }).process.exit(7);
      setTimeout(() => {
        throw new Error('a worker that throws');
      });
    }
    if (data.then === 'computes') for (;;);
    if (data.then === 'sleeps') sluice.Semaphore.from(data.never).acquire();
    await new Promise(() => undefined);
  },
};

/** The primitive that a worker holds, with the job that holds it. */
interface Holding {
  readonly then: Ending;
  readonly job: Job;
  readonly agent: number;
  readonly reports: readonly number[];
  readonly held: ReturnType<typeof create>;
  /** Ends the worker in its way. */
  readonly end: () => void;
}

function create({ sluice, arena }: MainTools) {
  return {
    permits: sluice.Semaphore.create(2, { arena, name: 'permits' }),
    never: sluice.Semaphore.create(0, { arena }),
    end: sluice.Semaphore.create(0, { arena }),
    mutex: sluice.Mutex.create({ arena }),
    written: sluice.RwLock.create({ arena }),
    values: sluice.BoundedBuffer.create({ codec: 'int32', capacity: 4, arena }),
    parts: sluice.CountdownLatch.create(1, { arena }),
    limit: sluice.createLimit(1, { arena }),
    ranked: sluice.PrioritySemaphore.create(1, { arena }),
    sized: sluice.ResizableSemaphore.create(2, { arena }),
    keys: sluice.KeyedMutex.create({ arena }),
    names: sluice.LockManager.create({ arena }),
    meeting: sluice.Barrier.create(2, { arena }),
    built: sluice.Once.create({ arena }),
  };
}

async function hold(tools: MainTools, then: Ending): Promise<Holding> {
  const held = create(tools);
  const handles = Object.fromEntries(
    Object.entries(held).map(([name, { handle }]) => [name, handle]),
  ) as unknown as Omit<Data, 'then'>;
  const data: Data = { then, ...handles };
  const job = tools.start('hold', data, { mayDie: true });
  const reports: number[] = [];
  tools.arena.watch(job.worker, { onReclaim: ({ agent }) => reports.push(agent) });
  // An error before that fails the visit.
  const agent = (await Promise.race([job.next(), job.done])) as number;
  const endIt = (): void => {
    if (then === 'exits' || then === 'throws') held.end.release();
    else job.worker.terminate();
  };
  return { then, job, agent, reports, held, end: endIt };
}

/** Returns how long after its end everything that the worker held was there again, in ms. */
async function dies({ arena }: MainTools, { then, agent, reports, held, end }: Holding): Promise<number> {
  const { permits, mutex, written, values, parts, limit, ranked, sized, keys, names, meeting, built } = held;
  equal([permits.available, mutex.tryLock(), values.tryPush(1)], [0, false, false], `held by a worker that ${then}`);
  const waits = [
    permits.acquireAsync(2),
    failure(() => mutex.lockAsync(), 'SLUICE_OWNER_DIED'),
    failure(() => written.writer.lockAsync(), 'SLUICE_OWNER_DIED'),
  ] as const;
  const others = [
    values.pushAsync(7),
    parts.waitAsync(),
    limit(() => 'ran'),
    names.request('name', () => 'ran'),
    ranked.acquireAsync(),
    sized.acquireAsync(2),
    built.runAsync(() => undefined),
    failure(() => keys.lockAsync('key'), 'SLUICE_OWNER_DIED'),
    failure(() => meeting.waitAsync(), 'SLUICE_BROKEN_BARRIER'),
  ] as const;
  const began = performance.now();
  end();
  const [, lock, writer] = await Promise.all(waits);
  const [, , ran, request, , , , key] = await Promise.all(others);
  const took = performance.now() - began;
  equal(
    [ran, request, values.length, values.tryPop(), built.isDone, meeting.parties],
    ['ran', 'ran', 1, 7, true, 1],
    'the others',
  );
  for (const { guard } of [lock, writer, key]) {
    guard?.markConsistent();
    guard?.release();
  }
  permits.release(2);
  check(mutex.tryLock() && written.reader.tryLock() && keys.tryLock('key'), 'the locks are free');
  check(reports.includes(agent), 'the watch reported the agent');
  equal(
    arena.inspect().agents.some((each) => each.agent === agent),
    false,
    'the agent is there',
  );
  return took;
}

/**
 * The thread runs on after its end, and keeps what it holds: a recovery would let two threads into one critical
 * section.
 */
async function runsOn({ arena }: MainTools, { then, agent, reports, held, end }: Holding): Promise<void> {
  const { permits, mutex } = held;
  end();
  await failure(() => permits.acquireAsync(1, { timeout: NOT_MS }), 'SLUICE_TIMEOUT');
  equal(
    [permits.available, mutex.tryLock(), reports.includes(agent)],
    [0, false, false],
    `a worker that ${then} and was ended keeps what it holds`,
  );
  check(
    arena.inspect().agents.some((each) => each.agent === agent),
    'the agent of a thread that runs on is there',
  );
}

/** Returns how long each death went unnoticed. A worker that lives is never taken for dead, however long it sleeps. */
export async function main(tools: MainTools): Promise<Record<string, number>> {
  const { endings: all } = tools.platform;
  const endings = tools.visit.endings ?? (Object.keys(all) as Ending[]);
  const survivor = await hold(tools, 'sleeps');
  const times: Record<string, number> = {};
  const holdings = await Promise.all(endings.map((ending) => hold(tools, ending)));
  await Promise.all(
    holdings.map(async (holding) => {
      if (all[holding.then] === true) times[`a worker that ${holding.then}`] = Math.round(await dies(tools, holding));
      else await runsOn(tools, holding);
    }),
  );
  equal(
    [survivor.held.permits.available, survivor.reports.includes(survivor.agent)],
    [0, false],
    'free permits of a worker that lives',
  );
  return times;
}
