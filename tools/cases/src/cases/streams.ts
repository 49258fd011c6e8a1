// Buffers as streams of the web platform, between workers and the main thread. All buffers are smaller than what goes
// through them.

import type { BoundedBuffer, BoundedBufferHandle } from 'sluice';
import type * as Streams from '@sluice/bounded-buffer/web-streams';
import { check, equal, failure, type MainTools, type Tools, type WorkerTools } from '../tools.ts';

const VALUES = 300;
const CAPACITY = 8;

const streamsOf = async ({ load }: Pick<Tools, 'load'>): Promise<typeof Streams> =>
  (await load('@sluice/bounded-buffer/web-streams')) as typeof Streams;
const numbers = ({ sluice, arena }: MainTools): BoundedBuffer<number> =>
  sluice.BoundedBuffer.create({ codec: 'int32', capacity: CAPACITY, arena });
const open = ({ sluice }: WorkerTools, handle: BoundedBufferHandle): BoundedBuffer<number> =>
  sluice.BoundedBuffer.from(handle) as unknown as BoundedBuffer<number>;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const first = (count: number): number[] => [...Array(count).keys()];

/** `first(count)`, then its end. `asked`: the values that were asked for. */
function counting(count: number, asked: number[] = []): ReadableStream<number> {
  return new ReadableStream<number>(
    {
      pull: (controller) => {
        if (asked.length === count) return controller.close();
        controller.enqueue(asked.length);
        asked.push(asked.length);
      },
    },
    { highWaterMark: 0 },
  );
}

export const jobs = {
  /** Pipes numbers into a buffer, whose end is the end of the stream. */
  async write(tools: WorkerTools, handle: BoundedBufferHandle): Promise<void> {
    const { toWebWritable } = await streamsOf(tools);
    await counting(VALUES).pipeTo(toWebWritable(open(tools, handle)));
  },
  /** Blocks for each value until the buffer is closed. */
  drain(tools: WorkerTools, handle: BoundedBufferHandle): number[] {
    const buffer = open(tools, handle);
    const values: number[] = [];
    for (;;) {
      try {
        values.push(buffer.pop());
      } catch (error) {
        if ((error as { readonly code?: string }).code === 'SLUICE_CLOSED') return values;
        throw error;
      }
    }
  },
};

/** From a worker's stream through a stream of this thread to the other worker. */
async function pipes(tools: MainTools): Promise<void> {
  const { toWebStream, toWebWritable } = await streamsOf(tools);
  const [from, to] = [numbers(tools), numbers(tools)];
  const [written, drained] = [tools.start('write', from.handle), tools.start('drain', to.handle)];
  const doubled = new TransformStream<number, number>({
    transform: (value, controller) => controller.enqueue(2 * value),
  });
  await toWebStream(from).pipeThrough(doubled).pipeTo(toWebWritable(to));
  equal(sum((await drained.done) as number[]), sum(first(VALUES)) * 2, 'the sum of what went through');
  await written.done;
}

/** A stream of this thread into a buffer that a worker empties. */
async function fills(tools: MainTools): Promise<void> {
  const { fromWebStream } = await streamsOf(tools);
  const buffer = numbers(tools);
  const asked: number[] = [];
  const filled = fromWebStream(counting(VALUES, asked), buffer);
  while (buffer.length < CAPACITY) await new Promise((later) => setTimeout(later));
  check(asked.length <= CAPACITY + 1, 'a full buffer asks for no more values');
  const drained = tools.start('drain', buffer.handle);
  equal(await filled, VALUES, 'the number of values');
  equal(await drained.done, first(VALUES), 'the values in order');
}

/** Ends by a cancel, an abort and a closed buffer lose no value. */
async function ends(tools: MainTools): Promise<void> {
  const { fromWebStream, toWebStream, toWebWritable } = await streamsOf(tools);
  const buffer = numbers(tools);
  const reader = toWebStream(buffer).getReader();
  const waiting = reader.read();
  await reader.cancel();
  equal((await waiting).done, true, 'a read that was cancelled');
  const writer = toWebWritable(buffer, { close: false }).getWriter();
  for (const value of first(CAPACITY)) await writer.write(value);
  const late = writer.write(CAPACITY);
  late.catch(() => undefined);
  await writer.abort(new Error('stopped'));
  check(
    (await failure(() => late, 'Error')).message === 'stopped',
    'a write that waits fails with the reason of the abort',
  );
  const stop = new AbortController();
  const undelivered: number[] = [];
  const filling = fromWebStream(counting(2), buffer, {
    signal: stop.signal,
    close: false,
    undelivered: (value) => void undelivered.push(value),
  });
  stop.abort(new Error('enough'));
  check((await failure(() => filling, 'Error')).message === 'enough', 'the reason of the signal');
  check(undelivered.length <= 1, 'at most one value is not delivered');
  await buffer.closeAsync();
  const left: number[] = [];
  const rest = toWebStream(buffer).getReader();
  for (let read = await rest.read(); !read.done; read = await rest.read()) left.push(read.value);
  equal(left, first(CAPACITY), 'the values that were left');
}

export async function main(tools: MainTools): Promise<void> {
  await pipes(tools);
  await fills(tools);
  await ends(tools);
}
