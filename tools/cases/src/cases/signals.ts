// Events, latches, words and the latest value: what one thread tells others.

import type { AutoResetEventHandle, BroadcastHandle, ConditionHandle, CountdownLatchHandle, MutexHandle, RegionHandle, SharedWordHandle, WatchCellHandle } from '@sluice/all';
import { equal, type MainTools, type WorkerTools } from '../tools.ts';

const ROUNDS = 200;
const SUM = 1000;

interface PingPong {
  readonly there: AutoResetEventHandle;
  readonly back: AutoResetEventHandle;
  readonly ball: RegionHandle;
}

interface Summing {
  readonly begin: CountdownLatchHandle;
  readonly end: CountdownLatchHandle;
  readonly sums: RegionHandle;
  readonly part: number;
}

interface Taking {
  readonly lock: MutexHandle;
  readonly filled: ConditionHandle;
  readonly items: RegionHandle;
}

interface State {
  readonly n: number;
  readonly twice: number;
}

interface Listening {
  readonly stream: BroadcastHandle<State>;
  readonly ready: CountdownLatchHandle;
}
interface Watching {
  readonly state: WatchCellHandle<State>;
}

interface Waiting {
  readonly word: SharedWordHandle;
  readonly answer: SharedWordHandle;
}

export const jobs = {
  /** Answers each ball with the next number. */
  answer({ sluice }: WorkerTools, { there, back, ball }: PingPong): void {
    const [arrives, leaves] = [there, back].map((handle) => sluice.AutoResetEvent.from(handle));
    const { int32 } = sluice.Region.from(ball);
    for (let round = 0; round < ROUNDS; round++) {
      arrives?.wait();
      int32[0] = (int32[0] ?? 0) + 1;
      leaves?.signal();
    }
  },
  serve({ sluice }: WorkerTools, { there, back, ball }: PingPong): void {
    const [leaves, arrives] = [there, back].map((handle) => sluice.AutoResetEvent.from(handle));
    const { int32 } = sluice.Region.from(ball);
    for (let round = 0; round < ROUNDS / 2; round++) {
      leaves?.signal();
      arrives?.wait();
      equal(int32[0], round + 1, 'the ball');
    }
  },
  sum({ sluice }: WorkerTools, { begin, end, sums, part }: Summing): void {
    sluice.CountdownLatch.from(begin).wait();
    const { int32 } = sluice.Region.from(sums);
    for (let n = 1; n <= SUM; n++) int32[part] = (int32[part] ?? 0) + n;
    sluice.CountdownLatch.from(end).done();
  },
  take({ sluice }: WorkerTools, { lock, filled, items }: Taking): void {
    const mutex = sluice.Mutex.from(lock);
    const condition = sluice.Condition.from(filled, mutex);
    const { int32 } = sluice.Region.from(items);
    for (let round = 0; round < ROUNDS; round++) {
      mutex.lock();
      condition.waitFor(() => (int32[0] ?? 0) > 0);
      int32[0] = (int32[0] ?? 0) - 1;
      int32[1] = (int32[1] ?? 0) + 1;
      mutex.unlock();
    }
  },
  report({ sluice }: WorkerTools, { state }: Watching): void {
    const cell = sluice.WatchCell.from(state);
    for (let n = 1; n <= ROUNDS; n++) cell.set({ n, twice: 2 * n });
    cell.close();
  },
  listen({ sluice }: WorkerTools, { stream, ready }: Listening): void {
    const subscription = sluice.Broadcast.from(stream).subscribe();
    sluice.CountdownLatch.from(ready).done();
    for (let n = 1; n <= ROUNDS; n++) equal(subscription.next(), { n, twice: 2 * n }, 'the next value');
  },
  follow({ sluice }: WorkerTools, { state }: Watching): void {
    const cell = sluice.WatchCell.from(state);
    for (let { n } = cell.get(); n < ROUNDS; ) {
      const next = cell.changed();
      equal([next.n > n, next.twice], [true, 2 * next.n], 'the next state');
      n = next.n;
    }
  },
  wait({ sluice }: WorkerTools, { word: handle, answer }: Waiting): void {
    const { SharedWord, waitOnAddress, addressWaitUntil, addressSignal, wakeByAddressAll } = sluice;
    const [word, reply] = [SharedWord.from(handle), SharedWord.from(answer)];
    for (let round = 0; round < ROUNDS; round++) {
      while (word.load() === round) waitOnAddress(word, round);
      reply.store(round + 1);
      wakeByAddressAll(reply);
      addressSignal(reply);
    }
    addressWaitUntil(word, () => word.load() === -1);
    reply.store(-1);
    addressSignal(reply);
  },
};

async function events({ sluice, arena, start }: MainTools): Promise<void> {
  const [there, back] = [0, 1].map(() => sluice.AutoResetEvent.create({ arena }));
  if (there === undefined || back === undefined) return;
  const ball = sluice.Region.create(4, { arena });
  const data: PingPong = { there: there.handle, back: back.handle, ball: ball.handle };
  const answering = start('answer', data);
  await start('serve', data).done;
  for (let round = ROUNDS / 2; round < ROUNDS; round++) {
    there.signal();
    await back.waitAsync({ timeout: 30_000 });
    equal(ball.int32[0], round + 1, 'the ball in the main thread');
  }
  await answering.done;
}

async function conditions({ sluice, arena, start }: MainTools): Promise<void> {
  const mutex = sluice.Mutex.create({ arena });
  const filled = sluice.Condition.create(mutex);
  const items = sluice.Region.create(8, { arena });
  const workers = [0, 1].map(() => start('take', { lock: mutex.handle, filled: filled.handle, items: items.handle } satisfies Taking));
  for (let round = 0; round < 2 * ROUNDS; round++) {
    await mutex.lockAsync({ timeout: 30_000 });
    items.int32[0] = (items.int32[0] ?? 0) + 1;
    if (round % 10 === 0) filled.notifyAll();
    else filled.notify();
    mutex.unlock();
  }
  await Promise.all(workers.map(({ done }) => done));
  equal([...items.int32.subarray(0, 2)], [0, 2 * ROUNDS], 'items left and taken');
}

async function latches({ sluice, arena, start }: MainTools): Promise<void> {
  const parts = [0, 1, 2];
  const begin = sluice.CountdownLatch.create(1, { arena });
  const end = sluice.CountdownLatch.create(parts.length, { arena });
  const sums = sluice.Region.create(4 * parts.length, { arena });
  const workers = parts.map((part) => start('sum', { begin: begin.handle, end: end.handle, sums: sums.handle, part } satisfies Summing));
  begin.done();
  await end.waitAsync({ timeout: 30_000 });
  equal([...sums.int32.subarray(0, 3)], parts.map(() => (SUM * (SUM + 1)) / 2), 'the sums');
  await Promise.all(workers.map(({ done }) => done));
}

async function words({ sluice, arena, start }: MainTools): Promise<void> {
  const [word, answer] = [sluice.SharedWord.create(0, { arena }), sluice.SharedWord.create(0, { arena })];
  const worker = start('wait', { word: word.handle, answer: answer.handle } satisfies Waiting);
  for (let round = 0; round < ROUNDS; round++) {
    word.store(round + 1);
    sluice.wakeByAddressAll(word);
    if (round % 2 === 0) await sluice.addressWaitUntilAsync(answer, () => answer.load() === round + 1, { timeout: 30_000 });
    else while (answer.load() === round) await sluice.waitOnAddressAsync(answer, round, { timeout: 30_000 });
    equal(answer.load(), round + 1, 'the answer');
  }
  word.store(-1);
  sluice.addressSignal(word);
  await sluice.addressWaitUntilAsync(answer, () => answer.load() === -1, { timeout: 30_000 });
  await worker.done;
}

async function states({ sluice, arena, start }: MainTools): Promise<void> {
  const cell = sluice.WatchCell.create<State>({ n: 0, twice: 0 }, { arena });
  const data: Watching = { state: cell.handle };
  const workers = [start('follow', data), start('report', data)];
  for (let { n } = cell.get(); n < ROUNDS; ) {
    const next = await cell.changedAsync({ timeout: 30_000 });
    equal([next.n > n, next.twice], [true, 2 * next.n], 'the next state in the main thread');
    n = next.n;
  }
  equal(await rest(cell), [], 'what comes after the last state');
  await Promise.all(workers.map(({ done }) => done));
}

async function rest(cell: AsyncIterable<State>): Promise<State[]> {
  const values: State[] = [];
  for await (const value of cell) values.push(value);
  return values;
}

async function values({ sluice, arena, start }: MainTools): Promise<void> {
  const stream = sluice.Broadcast.create<State>({ arena, capacity: ROUNDS });
  const ready = sluice.CountdownLatch.create(2, { arena });
  const subscription = stream.subscribe();
  const data: Listening = { stream: stream.handle, ready: ready.handle };
  const workers = [start('listen', data), start('listen', data)];
  await ready.waitAsync({ timeout: 30_000 });
  for (let n = 1; n <= ROUNDS; n++) stream.publish({ n, twice: 2 * n });
  for (let n = 1; n <= ROUNDS; n++) equal(await subscription.nextAsync({ timeout: 30_000 }), { n, twice: 2 * n }, 'the next value in the main thread');
  await Promise.all(workers.map(({ done }) => done));
}

export async function main(tools: MainTools): Promise<void> {
  await events(tools);
  await conditions(tools);
  await latches(tools);
  await words(tools);
  await states(tools);
  await values(tools);
}
