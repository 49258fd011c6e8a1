// @ts-check
// A process with a pool. Its argument selects its action. The process never calls process.exit.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Arena, Semaphore } from '@sluice/core';
import { WorkerPool } from '@sluice/worker-pool';
import { fileURLToPath } from 'node:url';
import { BroadcastChannel, MessageChannel } from 'node:worker_threads';
import { STAGE_WORDS } from '../jobs/words.mjs';

const filename = fileURLToPath(new URL('../jobs/tasks.mjs', import.meta.url));
const words = new Int32Array(new SharedArrayBuffer(4 * STAGE_WORDS));

/** @param {Partial<import('@sluice/worker-pool').WorkerPoolOptions>} [options] */
const start = (options) =>
  new WorkerPool(
    /** @type {import('@sluice/worker-pool').WorkerPoolOptions} */ ({
      filename,
      size: 1,
      workerData: words,
      ...options,
    }),
  );

/** @param {unknown} error */
const sayName = (error) => console.log(error instanceof Error ? error.name : 'no error');

/** @type {Record<string, () => Promise<void>>} */
const STORIES = {
  async idle() {
    const pool = start({ size: 2 });
    console.log(await pool.run('idle'));
  },
  async unused() {
    start();
    console.log('unused');
    await Promise.resolve();
  },
  async idleSync() {
    const pool = start({ atomics: 'sync' });
    console.log(await pool.run('idleSync'));
  },
  async forgotten() {
    // Only the tasks keep the process alive.
    void start({ maxQueue: 0 })
      .map([1, 2, 3], { name: 'double' })
      .then((all) => console.log(all.join()));
    await Promise.resolve();
  },
  async closed() {
    const pool = start();
    void pool.run(5).then(console.log);
    await pool.close();
    console.log('closed');
  },
  async destroyed() {
    const pool = start({ name: 'hang' });
    pool.run(1).catch(sayName);
    await pool.destroy();
    console.log('destroyed');
  },
  async aborted() {
    const pool = start({ abortGrace: 5 });
    await pool.run(1, { name: 'hang', timeout: 300 }).catch(sayName);
  },
  async listenerOfDrain() {
    process.on('uncaughtException', ({ message }) => console.log(message));
    const pool = start();
    pool.once('drain', () => {
      throw new Error('thrown by a listener');
    });
    const first = pool.run(1);
    console.log(await first);
    console.log(await pool.run(2));
  },
  async listenerOfExit() {
    process.on('uncaughtException', ({ message }) => console.log(message));
    const pool = start();
    pool.once('workerExit', () => {
      throw new Error('thrown by a listener');
    });
    await pool.run('exit', { name: 'die' }).catch(sayName);
    console.log(await pool.run(2));
  },
  async fullAgain() {
    // The buffer is full to the last bytes when the first task must run again.
    const pool = start({ retry: 1, maxQueue: 2, bufferBytes: 1024 });
    const first = pool.run(1, { name: 'dieWhenOpen' });
    while (words[0] === 0) await new Promise((resolve) => setImmediate(resolve));
    const others = [pool.run('y'.repeat(Number(process.argv[3]))), pool.run('z'.repeat(1000))];
    words[1] = 1;
    console.log(await first);
    await Promise.all(others);
    console.log('all');
  },
  async broken() {
    /** @type {(this: unknown, most?: number) => unknown[]} */
    const take = Reflect.get(BoundedBuffer.prototype, 'tryPopMany');
    let fails = false;
    /** @this {unknown} @param {number} most */
    function failLater(most) {
      const all = take.call(this, most);
      if (fails) throw new Error('the buffer is broken');
      return all;
    }
    Reflect.set(BoundedBuffer.prototype, 'tryPopMany', failLater);
    const pool = start({ size: 2 });
    console.log(await pool.run(1));
    fails = true;
    const both = [pool.run(2), pool.run(3, { name: 'never' })];
    for (const one of [...both, pool.run(4)]) {
      await one.catch((/** @type {unknown} */ error) => {
        if (error instanceof Error && error.cause instanceof Error) console.log(error.name, error.cause.message);
      });
    }
    await pool.run(5).catch(sayName);
    while (pool.threads.length > 0) await new Promise((resolve) => setImmediate(resolve));
    console.log('no worker,', pool.stats().replaced, 'replaced');
    await pool.close();
  },
  async blockedCallerOfIdleWorkers() {
    const pool = start({ size: undefined, minThreads: 1, maxThreads: 2, idleTimeout: 0 });
    await pool.run(1);
    for (let n = 0; n < 5; n++) {
      // The workers become idle and ask whether they may leave. This thread cannot answer.
      const end = performance.now() + 100;
      while (performance.now() < end);
      const done = Semaphore.create(0);
      const result = pool.run({ done: done.handle, n }, { name: 'signal' });
      done.acquire();
      console.log('signalled', await result);
    }
    await pool.close();
  },
  async blockedCaller() {
    const pool = start();
    const done = Semaphore.create(0);
    const result = pool.run({ done: done.handle, n: 7 }, { name: 'signal' });
    done.acquire();
    console.log('signalled', await result);
  },
  async prints() {
    // The arguments: how the process ends, and how the workers wait.
    const [, , , end, atomics] = process.argv;
    const pool = start({
      name: 'print',
      atomics: atomics === 'sync' ? 'sync' : 'async',
      maxTasksPerWorker: end === 'worn' ? 1 : undefined,
    });
    // This includes the failing task.
    await Promise.allSettled([pool.run(50), pool.run(-50)]);
    if (end === 'close') await pool.close();
    if (end === 'destroy') await pool.destroy();
    if (end === 'exit') process.exit();
  },
  async printsCorked() {
    const pool = start({ name: 'printCorked' });
    console.log(await pool.run(5));
  },
  async printsBlocked() {
    // Fails if a worker waits for this thread to read what a task printed, before it runs the task that this thread
    // waits for.
    const pool = start({ atomics: process.argv[3] === 'sync' ? 'sync' : 'async' });
    const done = Semaphore.create(0);
    const printed = pool.run(50, { name: 'print' });
    const signalled = pool.run({ done: done.handle, n: 7 }, { name: 'signal' });
    done.acquire();
    await Promise.all([printed, signalled]);
  },
  async printsUnread() {
    const pool = start({ atomics: process.argv[3] === 'sync' ? 'sync' : 'async' });
    // Simulates an error of the output, such as the end of its reader.
    for (const { stdout, stderr } of pool.threads) for (const stream of [stdout, stderr]) stream.unpipe();
    await pool.run(50_000, { name: 'print' });
    console.log('all done');
  },
  async posts() {
    const [, , , end, atomics] = process.argv;
    const pool = start({ atomics: atomics === 'sync' ? 'sync' : 'async' });
    const counts = { message: 0, port: 0, channel: 0 };
    process.on('exit', () => console.log(JSON.stringify(counts)));
    const { port1, port2 } = new MessageChannel();
    pool.on('message', () => (counts.message += 1));
    port1.on('message', () => (counts.port += 1)).unref();
    const channel = new BroadcastChannel('posts');
    channel.onmessage = () => (counts.channel += 1);
    channel.unref();
    await pool.run({ port: port2, count: 200 }, { name: 'post', transferList: [port2] });
    if (end === 'close') {
      await pool.close();
      process.exit();
    }
    if (end === 'destroy') {
      await pool.destroy();
      process.exit();
    }
  },
  async secondCannotBeMade() {
    const arena = Arena.create({ maxPages: 64 });
    let made = 0;
    const toString = () => {
      if (made++ > 0) throw new Error('not this one');
      return 'x';
    };
    try {
      start({ size: 3, arena, argv: [{ toString }] });
    } catch (error) {
      console.log(error instanceof Error ? error.message : error);
    }
    const users = () => arena.inspect().blocks.filter(({ kind }) => kind !== 'pool' && kind !== 'free');
    while (users().length > 0) await new Promise((resolve) => setImmediate(resolve));
    console.log('nothing left');
  },
};

await STORIES[process.argv[2] ?? '']?.();
