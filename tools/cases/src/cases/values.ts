// The latest value, and every value: what one thread says to all others.

import type { BroadcastHandle, CountdownLatchHandle, WatchCellHandle } from 'sluice';
import { equal, failure, type MainTools, type WorkerTools } from '../tools.ts';

const ROUNDS = 200;

interface State {
  readonly n: number;
  readonly twice: number;
}

interface Watching {
  readonly state: WatchCellHandle<State>;
}

interface Listening {
  readonly stream: BroadcastHandle<State>;
  readonly ready: CountdownLatchHandle;
}

export const jobs = {
  report({ sluice }: WorkerTools, { state }: Watching): void {
    const cell = sluice.WatchCell.from(state);
    for (let n = 1; n <= ROUNDS; n++) cell.set({ n, twice: 2 * n });
    cell.close();
  },
  follow({ sluice }: WorkerTools, { state }: Watching): void {
    const cell = sluice.WatchCell.from(state);
    for (let { n } = cell.get(); n < ROUNDS; ) {
      const next = cell.changed();
      equal([next.n > n, next.twice], [true, 2 * next.n], 'the next state');
      n = next.n;
    }
  },
  listen({ sluice }: WorkerTools, { stream, ready }: Listening): void {
    const subscription = sluice.Broadcast.from(stream).subscribe();
    sluice.CountdownLatch.from(ready).done();
    for (let n = 1; n <= ROUNDS; n++) equal(subscription.next(), { n, twice: 2 * n }, 'the next value');
  },
  publish({ sluice }: WorkerTools, stream: BroadcastHandle<State>): void {
    const broadcast = sluice.Broadcast.from(stream);
    for (let n = 1; n <= ROUNDS; n++) broadcast.publish({ n, twice: 2 * n });
    broadcast.close();
  },
};

async function states({ sluice, arena, start }: MainTools): Promise<void> {
  const cell = sluice.WatchCell.create<State>({ n: 0, twice: 0 }, { arena });
  const data: Watching = { state: cell.handle };
  const workers = [start('follow', data), start('report', data)];
  for (let { n } = cell.get(); n < ROUNDS; ) {
    const next = await cell.changedAsync({ timeout: 30_000 });
    equal([next.n > n, next.twice], [true, 2 * next.n], 'the next state in the main thread');
    n = next.n;
  }
  equal(await all(cell), [], 'what comes after the last state');
  await Promise.all(workers.map(({ done }) => done));
}

async function all(values: AsyncIterable<State>): Promise<State[]> {
  const got: State[] = [];
  for await (const value of values) got.push(value);
  return got;
}

async function broadcasts({ sluice, arena, start }: MainTools): Promise<void> {
  const stream = sluice.Broadcast.create<State>({ arena, capacity: ROUNDS });
  const ready = sluice.CountdownLatch.create(2, { arena });
  const subscription = stream.subscribe();
  const data: Listening = { stream: stream.handle, ready: ready.handle };
  const workers = [start('listen', data), start('listen', data)];
  await ready.waitAsync({ timeout: 30_000 });
  for (let n = 1; n <= ROUNDS; n++) stream.publish({ n, twice: 2 * n });
  for (let n = 1; n <= ROUNDS; n++)
    equal(await subscription.nextAsync({ timeout: 30_000 }), { n, twice: 2 * n }, 'the next value in the main thread');
  await Promise.all(workers.map(({ done }) => done));
}

/** A worker publishes more than is kept. What a subscription got and lost adds up, whether it throws or tells. */
async function lags({ sluice, arena, start }: MainTools): Promise<void> {
  const stream = sluice.Broadcast.create<State>({ arena, capacity: 8 });
  let told = 0;
  const [throwing, telling] = [stream.subscribe(), stream.subscribe({ onLag: (lost) => (told += lost) })];
  await start('publish', stream.handle).done;
  const { message } = await failure(() => throwing.nextAsync({ timeout: 30_000 }), 'SLUICE_LAGGED');
  equal(message.includes(String(throwing.lost)), true, message);
  for (const [values, lost] of [
    [await all(throwing), throwing.lost],
    [await all(telling), told],
  ] as const) {
    equal(
      [values.length + lost, values.at(-1)],
      [ROUNDS, { n: ROUNDS, twice: 2 * ROUNDS }],
      'values got and lost, and the last one',
    );
    equal(
      values.every(({ n }, at) => n === lost + at + 1),
      true,
      'in order',
    );
  }
}

export async function main(tools: MainTools): Promise<void> {
  await states(tools);
  await broadcasts(tools);
  await lags(tools);
}
