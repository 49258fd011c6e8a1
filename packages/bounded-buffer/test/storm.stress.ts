// Real producers and consumers that time out, and that are killed: each value comes out once.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Arena, Region } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { AT_ONCE, heard, KNOWN, LIVES, MOST, TAKEN, WORDS, type Life } from './jobs/storm.mjs';

const LIVING = 3;
const JOB = new URL('./jobs/storm.mjs', import.meta.url);

class Storm {
  readonly session: Session;
  readonly arena = Arena.create({ maxPages: 1024 });
  readonly region = Region.create(4 * WORDS, { arena: this.arena });
  readonly words = this.region.int32;
  readonly buffer: BoundedBuffer<number | Uint8Array>;
  readonly #bytes: boolean;
  /** The workers, their jobs, and whether they have begun. */
  readonly #alive = new Map<Worker, { readonly role: Life['role']; begun: boolean }>();
  readonly #failures: unknown[] = [];
  #lives = 0;
  interrupted = 0;

  constructor(name: string, codec: 'int32' | 'bytes', capacity: number) {
    this.session = new Session(name);
    this.#bytes = codec === 'bytes';
    const options = codec === 'int32' ? { codec, capacity } : { codec, ringBytes: 80 + 64 * (capacity - 1) };
    this.buffer = BoundedBuffer.create({ ...options, arena: this.arena } as never);
  }

  /** Returns the worker to kill: nearly always one that has begun. */
  async victim(): Promise<{ readonly worker: Worker; readonly role: Life['role'] }> {
    const early = this.session.random.chance(10);
    for (;;) {
      const fit = [...this.#alive].filter(([, { begun }]) => begun || early);
      // Some workers must live. Otherwise nothing would happen between two deaths.
      if (fit.length >= LIVING) {
        const [worker, { role }] = this.session.random.pick(fit);
        return { worker, role };
      }
      await sleep(5);
    }
  }

  /** The number of producers whose values there is room to count. */
  get hasLives(): boolean {
    return this.#lives < LIVES - 8;
  }

  start(role: Life['role']): void {
    const data: Life = {
      buffer: this.buffer.handle,
      words: this.region.handle,
      role,
      life: (this.#lives += 1),
      seed: this.session.random.below(2 ** 31),
      bytes: this.#bytes,
    };
    const worker = new Worker(JOB, { workerData: data, execArgv: [] });
    const state = { role, begun: false };
    this.#alive.set(worker, state);
    worker.on('message', () => (state.begun = true));
    this.arena.watch(worker, {
      onReclaim: ({ buffersInterrupted }) => (this.interrupted += buffersInterrupted.length),
    });
    worker.on('error', (failure) => this.#failures.push(failure));
    worker.on('exit', (code) => {
      this.#alive.delete(worker);
      // The producer had no more values.
      if (code === 0 && Atomics.load(this.words, 0) === 0 && this.hasLives) this.start(role);
    });
  }

  /** Resolves when all workers that were started have opened the buffer. */
  async begun(): Promise<void> {
    const waiting = [...this.#alive].filter(([, { begun }]) => !begun);
    await Promise.all(waiting.map(([worker]) => once(worker, 'message')));
  }

  /** Stops all workers. The main thread takes the remaining values, and counts. */
  async end(details: string): Promise<void> {
    Atomics.store(this.words, 0, 1);
    const exits = [...this.#alive.keys()].map((worker) => once(worker, 'exit'));
    // The close ends waits without a timeout.
    await this.buffer.closeAsync();
    await Promise.all(exits);
    expect(this.#failures).toEqual([]);
    const left = [...this.buffer].map((packed) => heard(packed));
    for (const value of left) {
      expect(value).toBeGreaterThanOrEqual(0);
      // A worker that died had begun to take it. That is why it was left.
      Atomics.store(this.words, TAKEN + value, 1);
    }
    this.#count(details);
  }

  #count(details: string): void {
    const { pushed, popped, length } = this.buffer;
    let [taken, again, lost] = [0, 0, 0];
    for (let life = 1; life <= this.#lives; life++) {
      const known = Atomics.load(this.words, KNOWN + life);
      for (let n = 0; n < MOST; n++) {
        const times = Atomics.load(this.words, TAKEN + life * MOST + n);
        if (times > 0) taken += 1;
        if (times > 1) again += times - 1;
        if (n < known && times === 0) lost += 1;
      }
    }
    this.session.done(popped, `${details}, ${this.interrupted} in the middle of a copy, ${again} begun twice`);
    expect(popped).toBeGreaterThan(0);
    expect({ length, lost, taken, popped }).toEqual({ length: 0, lost: 0, taken: pushed, popped: pushed });
    // Only a death in the middle of a take lets the next consumer begin again, with all values of that take.
    expect(again).toBeLessThanOrEqual(this.interrupted * AT_ONCE);
    const report = this.buffer.inspect();
    expect([report.producers, report.consumers]).toEqual([[], []]);
    this.buffer.free();
  }
}

test.each([
  ['int32', 1],
  ['int32', 64],
  ['bytes', 1],
  ['bytes', 8],
] as const)('timeouts lose and double nothing: %s, room for %i', async (codec, capacity) => {
  const storm = new Storm(`timeouts, ${codec}, ${capacity}`, codec, capacity);
  for (const role of ['produce', 'consume', 'produce', 'consume', 'produce'] as const) storm.start(role);
  await storm.begun();
  await sleep(soakSize(700, 20_000));
  await storm.end('5 workers');
});

test.each([
  ['int32', 1],
  ['int32', 64],
  ['bytes', 8],
] as const)(
  'killed workers lose and double nothing: %s, room for %i',
  { timeout: 600_000 },
  async (codec, capacity) => {
    const storm = new Storm(`killed, ${codec}, ${capacity}`, codec, capacity);
    const roles = ['produce', 'consume', 'produce', 'consume'] as const;
    for (const role of roles) storm.start(role);
    const most = soakSize(8, 200);
    let deaths = 0;
    for (; deaths < most && storm.hasLives; deaths++) {
      await sleep(20 + storm.session.random.below(60));
      const { worker, role } = await storm.victim();
      await worker.terminate();
      storm.start(role);
    }
    await storm.end(`${deaths} deaths`);
  },
);
