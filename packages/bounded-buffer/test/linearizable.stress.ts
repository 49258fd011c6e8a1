// The calls that real workers made on a buffer, taken together, are linearizable.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Arena, ClosedError } from '@sluice/core';
import { scale, Session, startWorker, withWorkers, type Message, type Random } from '@sluice/harness';
import { Recorder, type Taping } from '@sluice/linear';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { DONE, KINDS, PRODUCING, ROUND, WORDS, type Part } from './jobs/linearizable.mjs';
import { Tally, Tapes } from './support/tally.ts';
import { until } from './support/until.ts';

const JOBS = new URL('./jobs/linearizable.mjs', import.meta.url);
const CAPACITIES = [1, 2, 5, 64];
const GROUPS = [
  [1, 1],
  [2, 1],
  [1, 2],
  [2, 2],
  [4, 4],
] as const;
const MAX_WORKERS = 8;

type KindName = keyof typeof KINDS;
const KIND_NAMES: readonly KindName[] = ['int32', 'json', 'bytes'];

interface Round {
  readonly what: string;
  readonly kind: KindName;
  readonly buffer: BoundedBuffer<unknown>;
  readonly capacity: number;
  readonly producers: number;
  readonly parts: readonly (Part | undefined)[];
}

type Sides = readonly [producers: number, consumers: number];

function roundOf(random: Random, arena: Arena, kind: KindName, [producers, consumers]: Sides, capacity: number): Round {
  const buffer = BoundedBuffer.create<unknown>({ ...KINDS[kind].options(capacity), arena });
  // A failed call that no other thread of its side can have caused tests most. So there are more of these calls.
  const calls = (random.chance(10) ? 200 : random.between(20, 60)) * (Math.min(producers, consumers) === 1 ? 3 : 1);
  // A worker may close the buffer while others still push.
  const closesAfter = random.chance(30) ? random.below(calls) : Infinity;
  const parts = Array.from({ length: MAX_WORKERS }, (_, index): Part | undefined => {
    if (index >= producers + consumers) return undefined;
    const role = index < producers ? 'produce' : 'consume';
    return { buffer: buffer.handle, kind, role, calls, closesAfter: index === 0 ? closesAfter : Infinity };
  });
  return {
    what: `${kind}, ${producers} to ${consumers}, room for ${capacity}`,
    kind,
    buffer,
    capacity,
    producers,
    parts,
  };
}

test.each(KIND_NAMES)('the calls of workers on a buffer of %s are linearizable', async (kind) => {
  const session = new Session(`linearizable, ${kind}`);
  const tally = new Tally(session);
  const arena = Arena.create({ maxPages: 1024 });
  const tapes = new Tapes(MAX_WORKERS);
  const shared = new SharedArrayBuffer(4 * WORDS);
  const words = new Int32Array(shared);
  const rounds = Array.from({ length: scale(1) }, () =>
    GROUPS.flatMap((group) => CAPACITIES.map((capacity) => roundOf(session.random, arena, kind, group, capacity))),
  ).flat();
  await withWorkers({ jobs: JOBS, seed: session.seed, dump: () => arena.inspect() }, async (group) => {
    group.start(MAX_WORKERS, 'playAll', (index) => {
      return { words: shared, taping: tapes.all[index], parts: rounds.map(({ parts }) => parts[index]) };
    });
    for (const [index, { what, buffer, capacity, producers }] of rounds.entries()) {
      tapes.clear();
      words[PRODUCING] = producers;
      Atomics.store(words, DONE, 0);
      Atomics.store(words, ROUND, index + 1);
      Atomics.notify(words, ROUND);
      await group.until(what, () => Atomics.load(words, DONE) === MAX_WORKERS);
      tally.check(what, tapes.read(), KINDS[kind].spec(capacity));
      expect(buffer.length).toBe(0);
    }
    await group.results();
  });
  tally.done();
});

/** A worker that may be killed. */
class Life {
  readonly worker: Worker;
  readonly end: Promise<unknown>;
  ended = false;
  failure: string | undefined;

  constructor(part: Part, index: number, taping: Taping | undefined, seed: number) {
    this.worker = startWorker({ module: JOBS.href, job: 'playOne', data: { part, taping }, index, seed });
    this.worker.on(
      'message',
      (message: Message) => (this.failure = message.kind === 'failed' ? message.text : undefined),
    );
    this.end = once(this.worker, 'exit').then(() => (this.ended = true));
  }
}

/**
 * Closes the buffer when the last producer has ended, and takes the remaining values when the last consumer has ended.
 */
async function finish({ buffer, kind }: Round, taping: Taping, consumers: readonly Life[]): Promise<void> {
  const recorder = new Recorder(taping);
  const close = recorder.begin('close');
  await buffer.closeAsync();
  recorder.end(close, 'done');
  await Promise.all(consumers.map(({ end }) => end));
  for (;;) {
    const pop = recorder.begin('pop');
    try {
      recorder.end(pop, 'done', [KINDS[kind].decode(buffer.pop())]);
    } catch (failure) {
      if (!(failure instanceof ClosedError)) throw failure;
      recorder.end(pop, 'closed');
      return;
    }
  }
}

test.each(KIND_NAMES)(
  'the recorded calls on a buffer of %s are linearizable although workers are killed',
  async (kind) => {
    const session = new Session(`linearizable, killed, ${kind}`);
    const { random } = session;
    const tally = new Tally(session);
    const arena = Arena.create({ maxPages: 1024 });
    let interrupted = 0;
    for (let round = 0; round < scale(3); round++) {
      const played = roundOf(random, arena, kind, [2, 2], random.pick(CAPACITIES));
      const { what, capacity, parts } = played;
      const tapes = new Tapes(5);
      const lives = parts.flatMap((part, index) =>
        part === undefined
          ? []
          : [new Life({ ...part, closesAfter: Infinity }, index, tapes.all[index], random.next())],
      );
      for (const { worker } of lives) {
        arena.watch(worker, { onReclaim: ({ buffersInterrupted }) => (interrupted += buffersInterrupted.length) });
      }
      const [producers, consumers] = [lives.slice(0, 2), lives.slice(2)];
      // At least one worker of each role lives.
      for (const victim of [random.pick(producers), random.pick(consumers)].slice(random.below(2))) {
        const from = tapes.now + random.below(300);
        await until(() => tapes.now >= from || producers.every(({ ended }) => ended));
        await victim.worker.terminate();
      }
      await Promise.all(producers.map(({ end }) => end));
      await finish(played, tapes.all[4] as Taping, consumers);
      expect(lives.map(({ failure }) => failure)).toEqual([undefined, undefined, undefined, undefined]);
      tally.check(what, tapes.read(), KINDS[kind].spec(capacity));
    }
    tally.done(`${interrupted} killed in the middle of a copy`);
  },
);
