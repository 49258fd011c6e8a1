// @ts-check
// What waits that give up leave behind: the elements of the arena, and how long the call takes that lets the line go
// on.
import { Worker } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import { main } from '../lib/jobs.mjs';
import { load } from '../subjects/places.mjs';

/**
 * @typedef {object} PlacesSpecification
 * @property {string} packages the URL of a folder of built packages
 * @property {string} subject
 * @property {'polls' | 'storm' | 'aborts' | 'grants'} what
 * @property {number} [seconds] polls, storm
 * @property {number} [workers] polls, storm
 * @property {number} [waits] aborts, grants: so many async waits
 */

/**
 * @typedef {object} PlacesResult
 * @property {number} elements in use before the line goes on
 * @property {number} pool all elements, in use or not
 * @property {number} releaseMillis of the call that lets the line go on; storm: the longest wait of the patient waiter
 * @property {number} operations polls that gave up, or waits
 * @property {number} longestTurnMillis grants: of the event loop
 */

await main(async (/** @type {PlacesSpecification} */ specification) => {
  const { packages, subject, what } = specification;
  const { Arena, kind, description } = await load(packages, subject);
  const arena = Arena.create({ maxPages: 4096 });
  const create = () => kind.create(...(description.args ?? []), { ...description.options, arena });
  for (let warmUp = 0; warmUp < 3; warmUp++) {
    const other = create();
    description.hold?.(other);
    if (description.hold) description.end(other);
    other.free?.();
  }
  const primitive = create();
  description.hold?.(primitive);
  if (what === 'polls') return polls(specification, arena, primitive, description);
  if (what === 'storm') return storm(specification, arena, primitive);
  return what === 'aborts' ? aborts(specification, arena, primitive) : grants(specification, arena, primitive);
});

/** @param {import('../subjects/places.mjs').AnyArena} arena */
function inUse(arena) {
  const { total, free } = arena.inspect().elements;
  return { elements: total - free, pool: total };
}

/**
 * @param {PlacesSpecification} specification
 * @param {import('../subjects/places.mjs').AnyArena} arena
 * @param {import('../subjects/places.mjs').Primitive} primitive
 * @param {import('../subjects/places.mjs').Waited} what
 */
async function polls({ packages, subject, seconds = 1, workers = 8 }, arena, primitive, { end }) {
  const { word, done } = await start({ packages, subject, arena: arena.handle, handle: primitive.handle }, workers);
  await sleep(seconds * 1000);
  const used = inUse(arena);
  const began = performance.now();
  end(primitive);
  const releaseMillis = performance.now() - began;
  Atomics.store(word, 0, 1);
  const operations = (await Promise.all(done)).reduce((sum, count) => sum + count, 0);
  return { ...used, releaseMillis, operations, longestTurnMillis: 0 };
}

/**
 * Workers that wait for 1 ms at most, again and again, for one permit that each holds for 2 ms; and one waiter that has
 * all the time.
 * @param {PlacesSpecification} specification @param {import('../subjects/places.mjs').AnyArena} arena @param
 *   {import('../subjects/places.mjs').Primitive} semaphore
 */
async function storm({ packages, subject, seconds = 1, workers = 32 }, arena, semaphore) {
  const { word, done } = await start(
    { packages, subject, arena: arena.handle, handle: semaphore.handle, holdMillis: 2 },
    workers,
  );
  semaphore.release();
  const end = performance.now() + seconds * 1000;
  let longest = 0;
  while (performance.now() < end) {
    const began = performance.now();
    await semaphore.acquireAsync();
    longest = Math.max(longest, performance.now() - began);
    semaphore.release();
    await sleep(5);
  }
  const used = inUse(arena);
  Atomics.store(word, 0, 1);
  const operations = (await Promise.all(done)).reduce((sum, count) => sum + count, 0);
  return { ...used, releaseMillis: longest, operations, longestTurnMillis: 0 };
}

/**
 * @param {Omit<import('../workers/places.mjs').PlacesAssignment, 'gate' | 'handle'> & { handle: unknown }} assignment
 * @param {number} workers
 */
async function start(assignment, workers) {
  const gate = new SharedArrayBuffer(12);
  const word = new Int32Array(gate);
  /** @type {Promise<number>[]} */
  const done = [];
  for (let n = 0; n < workers; n++) {
    const worker = new Worker(new URL('../workers/places.mjs', import.meta.url), {
      workerData: { ...assignment, gate },
    });
    done.push(new Promise((resolve, reject) => void worker.once('message', resolve).once('error', reject)));
  }
  while (Atomics.load(word, 1) < workers) await sleep(10);
  return { word, done };
}

/**
 * @param {PlacesSpecification} specification
 * @param {import('../subjects/places.mjs').AnyArena} arena
 * @param {import('../subjects/places.mjs').Primitive} semaphore
 */
async function aborts({ waits = 0 }, arena, semaphore) {
  const ignore = () => undefined;
  const first = semaphore.acquireAsync();
  // A signal for every thousand: a signal takes time by the square of its listeners.
  const controllers = Array.from({ length: Math.ceil(waits / 1000) }, () => new AbortController());
  for (let n = 0; n < waits; n++)
    semaphore.acquireAsync(1, { signal: controllers[Math.floor(n / 1000)]?.signal }).catch(ignore);
  const last = semaphore.acquireAsync();
  for (const controller of controllers) controller.abort();
  await sleep(0);
  const used = inUse(arena);
  const began = performance.now();
  semaphore.release();
  const toFirst = performance.now() - began;
  await first;
  const beganAgain = performance.now();
  semaphore.release();
  const releaseMillis = Math.max(toFirst, performance.now() - beganAgain);
  await last;
  return { ...used, releaseMillis, operations: waits, longestTurnMillis: 0 };
}

/**
 * @param {PlacesSpecification} specification
 * @param {import('../subjects/places.mjs').AnyArena} arena
 * @param {import('../subjects/places.mjs').Primitive} semaphore
 */
async function grants({ waits = 0 }, arena, semaphore) {
  const all = Array.from({ length: waits }, () => semaphore.acquireAsync());
  await sleep(10);
  const used = inUse(arena);
  let longest = 0;
  let before = performance.now();
  let over = false;
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - before);
    before = now;
    if (!over) setImmediate(turn);
  };
  await new Promise((resolve) =>
    setImmediate(() => {
      before = performance.now();
      turn();
      setImmediate(resolve);
    }),
  );
  const began = performance.now();
  semaphore.release(waits);
  const releaseMillis = performance.now() - began;
  await Promise.all(all);
  over = true;
  turn();
  return { ...used, releaseMillis, operations: waits, longestTurnMillis: longest };
}
