// @ts-check
// Freezes objects of the language, imports every published entry as ESM or CommonJS, and uses what they export. Prints
// what failed.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [frozen, form] = process.argv.slice(2);
const packages = new URL('../../../../packages/', import.meta.url);
const require = createRequire(import.meta.url);

if (frozen === 'Error.prototype') Object.freeze(Error.prototype);
if (frozen === 'Object.prototype') Object.freeze(Object.prototype);
if (frozen === 'every prototype') {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const { value } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
    if (typeof value === 'function' && /^[A-Z]/.test(name)) Object.freeze(value.prototype);
  }
}

/** @type {Record<string, any>} */
const all = {};
const failures = /** @type {string[]} */ ([]);
/** @param {string} what @param {() => unknown} act */
const attempt = async (what, act) => {
  try {
    await act();
  } catch (failure) {
    failures.push(`${what}: ${/** @type {Error} */ (failure)?.stack ?? String(failure)}`);
  }
};
for (const folder of readdirSync(packages)) {
  const { exports } = JSON.parse(readFileSync(new URL(`${folder}/package.json`, packages), 'utf8'));
  for (const [entry, ways] of Object.entries(exports)) {
    const file = ways[form === 'esm' ? 'import' : 'require']?.default;
    if (file === undefined) continue;
    const url = new URL(`${folder}/${file}`, packages);
    await attempt(`import of ${folder} ${entry}`, async () => {
      all[`${folder} ${entry}`] = form === 'esm' ? await import(url.href) : require(url.pathname);
    });
  }
}

const lib = Object.assign(
  {},
  ...[
    'core',
    'mutex',
    'rw-lock',
    'auto-reset-event',
    'classics',
    'bounded-buffer',
    'semaphores',
    'broadcast',
    'barrier',
    'event',
    'named',
    'cache',
    'seq-lock',
    'capacitor',
    'address-wait',
    'limit',
    'worker-pool',
  ].map((name) => all[`${name} .`] ?? {}),
);

/** @param {string} code @param {() => unknown} act */
const failsWith = async (code, act) => {
  try {
    await act();
  } catch (failure) {
    const { name, code: found } = /** @type {{ name?: string, code?: string }} */ (failure);
    if (found !== code || !name?.endsWith('Error') || name === 'Error') throw failure;
    return;
  }
  throw new Error(`It did not fail with ${code}.`);
};
await attempt('semaphores', async () => {
  for (const name of [
    'Semaphore',
    'ResizableSemaphore',
    'PrioritySemaphore',
    'MultilaneSemaphore',
    'ChainSemaphore',
    'TicketSemaphore',
  ]) {
    const sem = lib[name].create(1);
    sem.acquire();
    await failsWith('SLUICE_TIMEOUT', () => sem.acquireAsync(1, { timeout: 1 }));
    sem.release();
    lib[name].from(structuredClone(sem.handle)).close();
    await failsWith('SLUICE_CLOSED', () => sem.acquire());
  }
});
await attempt('locks', async () => {
  for (const name of ['Mutex', 'RecursiveMutex', 'McsLock', 'LifoLock', 'ReciprocatingLock', 'TicketLock', 'TtsLock']) {
    const lock = lib[name].create();
    lock.run(() => 1);
    await lock.runAsync(() => 1);
    await failsWith('SLUICE_MISUSE', () => lock.unlock());
  }
  lib.RwLock.create().reader.run(() => 1);
});
await attempt('a buffer', async () => {
  for (const codec of [undefined, 'bytes', all['bounded-buffer ./msgpack'].msgpack()]) {
    const buffer = lib.BoundedBuffer.create({ codec, ringBytes: 256 });
    const value = new Uint8Array([1, 2]);
    await buffer.pushAsync(value);
    buffer.pop();
    await failsWith('SLUICE_TIMEOUT', () => buffer.popAsync({ timeout: 1 }));
  }
});
await attempt('values for all', async () => {
  const broadcast = lib.Broadcast.create({ capacity: 2 });
  const subscription = broadcast.subscribe();
  for (let n = 0; n < 4; n++) broadcast.publish({ n });
  await failsWith('SLUICE_LAGGED', () => subscription.next());
  subscription.next();
  const cell = lib.WatchCell.create({ a: 1 });
  cell.set({ a: 2 });
  cell.get();
  const lock = lib.SeqLock.create({ byteLength: 8 });
  lock.update((/** @type {{ int32: Int32Array }} */ { int32 }) => void (int32[0] = 1));
  lib.Lazy.create().get(() => ({ a: 1 }));
  lib.Once.create().run(() => undefined);
});
await attempt('meeting points', async () => {
  lib.Barrier.create(1).wait();
  await failsWith('SLUICE_BROKEN_BARRIER', async () => {
    const barrier = lib.Barrier.create(2);
    await barrier.waitAsync({ timeout: 1 }).catch(() => undefined);
    barrier.tryWait();
  });
  const latch = lib.CountdownLatch.create(1);
  latch.done();
  latch.wait();
  const mutex = lib.Mutex.create();
  mutex.run(() => lib.Condition.create(mutex).notifyAll());
  const count = lib.EventCount.create();
  count.advance(2);
  count.await(2);
  await failsWith('SLUICE_TIMEOUT', () => count.awaitAsync(3, { timeout: 1 }));
  lib.Sequencer.create().ticket();
  lib.AutoResetEvent.create().signal();
  lib.ManualResetEvent.create().set();
});
await attempt('names, limits and rates', async () => {
  const keys = lib.KeyedMutex.create();
  keys.run('__proto__', () => keys.inspect());
  await lib.LockManager.create().request('name', () => 1);
  const cache = lib.SharedCache.create({ maxBytes: 4096 });
  cache.get('__proto__', () => ({ a: 1 }));
  await cache.getAsync('key', () => 1);
  cache.inspect();
  await lib.createLimit(1)(() => 1);
  await lib.createLimit({ concurrency: 1, interval: 1, intervalCap: 1 })(() => 1);
  lib.RateLimiter.create({ permits: 1, interval: 1 }).acquire();
  lib.Capacitor.create().tryArrive();
});
await attempt('a pool', async () => {
  const pool = new lib.WorkerPool({ filename: new URL('frozen-task.mjs', import.meta.url).pathname, maxThreads: 1 });
  await pool.run({ a: 1 });
  await pool.close();
  await failsWith('SLUICE_POOL_CLOSED', () => pool.run(1));
});
for (const failure of failures) console.log(failure);
