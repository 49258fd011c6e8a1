// Tries to make one of everything, and prints what each failure says.
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const { Arena, Region, Semaphore } = await import('@sluice/core');
const { jsEngine } = await import('@sluice/core/js');
const { BoundedBuffer } = await import('../../../../packages/bounded-buffer/dist/index.js');
const { Mutex } = await import('../../../../packages/mutex/dist/index.js');
const { WorkerPool } = await import('../../../../packages/worker-pool/dist/index.js');
const packages = new URL('../../../../packages/', import.meta.url);

/** @typedef {{ create(...values: unknown[]): unknown }} Maker */
/** @param {string} name */
const built = async (name) =>
  /** @type {Promise<Record<string, Maker | undefined>>} */ (import(new URL(`${name}/dist/index.js`, packages).href));

/** @type {Record<string, () => unknown>} */
const attempts = {
  'Arena.create': () => Arena.create(),
  'Arena.create js': () => Arena.create({ engine: jsEngine }),
  'Arena.default': () => Arena.default(),
  'Arena.from': () => Arena.from(/** @type {any} */ ({ kind: 'sluice.arena' })),
  'Region.create': () => Region.create(4),
  'Semaphore.create': () => Semaphore.create(1),
  'Semaphore.from': () => Semaphore.from(/** @type {any} */ ({ kind: 'sluice.semaphore' })),
  'BoundedBuffer.create': () => BoundedBuffer.create({ codec: 'bytes', ringBytes: 4096 }),
  'Mutex.create': () => Mutex.create(),
  'new WorkerPool': () => new WorkerPool({ filename: pathToFileURL(process.argv[1] ?? ''), size: 1 }),
};
const makers = {
  'address-wait': ['SharedWord'],
  'auto-reset-event': ['AutoResetEvent'],
  capacitor: ['Capacitor', 'Turnstile'],
  classics: ['LifoLock', 'McsLock', 'ReciprocatingLock', 'TicketLock', 'TtsLock'],
  mutex: ['RecursiveMutex'],
  'rw-lock': ['RwLock'],
};
for (const [name, classes] of Object.entries(makers)) {
  const exports = await built(name);
  for (const one of classes) attempts[`${one}.create`] = () => exports[one]?.create();
}
for (const [name, one] of Object.entries({ ...(await built('semaphores')), ...(await built('classics')) })) {
  if (name.endsWith('Semaphore')) attempts[`${name}.create`] = () => one?.create(1);
}
const { LanedCapacitor } = await built('capacitor');
attempts['LanedCapacitor.create'] = () => LanedCapacitor?.create({ lanes: 2 });
const { createLimit } = await built('limit');
attempts['createLimit'] = () =>
  Reflect.apply(/** @type {Function} */ (/** @type {unknown} */ (createLimit)), undefined, [2]);

for (const [name, attempt] of Object.entries(attempts)) {
  try {
    attempt();
    console.log(`${name}: made`);
  } catch (failure) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (failure);
    console.log(`${name}: ${code} ${message}`);
  }
}
