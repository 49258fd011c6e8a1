// @ts-check
// The tasks that the pools of the tests run.
import { Semaphore } from '@sluice/core';
import { move } from '@sluice/worker-pool';
import { Mutex } from '@sluice/mutex';
import { openSync } from 'node:fs';
import { performance as nodePerformance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BroadcastChannel, parentPort, threadId, workerData } from 'node:worker_threads';
import { ABORTED, BEGUN, COUNT, ENDED, LOG, OPEN } from './words.mjs';

/** @typedef {import('@sluice/worker-pool').TaskContext} TaskContext */

const words = /** @type {Int32Array} */ (workerData);

/** @param {unknown} input */
export default function echo(input) {
  return input;
}

/** @param {number} input */
export const double = (input) => Promise.resolve(2 * input);

/** @param {number} input */
function begin(input) {
  words[LOG + Atomics.add(words, BEGUN, 1)] = input;
}

/**
 * Waits until the test opens the stage, with the event loop turning.
 * @param {number} input
 */
export async function hold(input) {
  begin(input);
  while (Atomics.load(words, OPEN) === 0) await sleep(1);
  Atomics.add(words, ENDED, 1);
  return input;
}

/**
 * Like `hold`, but blocks.
 * @param {number} input
 */
export function block(input) {
  begin(input);
  Atomics.wait(words, OPEN, 0);
  Atomics.add(words, ENDED, 1);
  return input;
}

/**
 * Never ends.
 * @param {number} input
 */
export function hang(input) {
  begin(input);
  for (;;);
}

/** @param {number} input */
export function never(input) {
  begin(input);
  return new Promise(() => setInterval(() => undefined, 1000));
}

/**
 * @param {number} input
 * @param {TaskContext} context
 */
export function spin(input, context) {
  begin(input);
  while (!context.aborted);
  Atomics.add(words, ABORTED, 1);
}

/**
 * @param {number} input
 * @param {TaskContext} context
 */
export async function listen(input, { signal }) {
  begin(input);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  Atomics.add(words, ABORTED, 1);
}

/**
 * Returns whether the signal was aborted before the test opened the stage. Counts the turns of the event loop until
 * then.
 * @param {number} input
 * @param {TaskContext} context
 */
export async function toldToStop(input, { signal }) {
  begin(input);
  for (; Atomics.load(words, OPEN) === 0; Atomics.add(words, COUNT, 1)) await sleep(1);
  return signal.aborted;
}

/** @param {number} most the number of deaths */
export function dieAtFirst(most) {
  if (Atomics.add(words, COUNT, 1) < most) process.exit(1);
  return Atomics.load(words, COUNT);
}

/** @param {string} how */
export async function die(how) {
  if (how === 'exit') process.exit(7);
  if (how === 'throw') setImmediate(() => fail('out of the blue'));
  if (how === 'reject') void Promise.reject(new RangeError('it is not caught'));
  if (how === 'memory') for (const all = []; ; ) all.push(new Array(10_000).fill(0));
  await new Promise(() => setInterval(() => undefined, 1000));
}

/** @param {unknown} _input */
export function dieWith(_input) {
  process.exit(1);
}

/** @param {string} message */
function fail(message) {
  throw new RangeError(message);
}

/** Ends its worker after the result was sent. */
export function lastWords() {
  setImmediate(() => process.exit(3));
  return 'done';
}

/**
 * Like `lastWords`, in an agent of the arena of the semaphore.
 * @param {import('@sluice/core').SemaphoreHandle} handle
 */
export function lastWordsAsAgent(handle) {
  Semaphore.from(handle);
  return lastWords();
}

/** @param {string} message */
export function throwLater(message) {
  setTimeout(() => fail(message), 20);
}

/** @param {Uint8Array | { bytes: Uint8Array }} input */
export function lengthOf(input) {
  return 'bytes' in input ? input.bytes.byteLength : input.byteLength;
}

/** @param {number} length */
export function moved(length) {
  const bytes = new Uint8Array(length).fill(5);
  const result = move(bytes, [bytes.buffer]);
  words[COUNT] = bytes.byteLength;
  setImmediate(() => Atomics.store(words, COUNT, bytes.byteLength + 1));
  return result;
}

/** @param {number} length */
export const text = (length) => 'ä'.repeat(length);

export const uncloneable = () => () => undefined;

/**
 * Counts with a lock.
 * @param {{ mutex: import('@sluice/mutex').MutexHandle, count: Int32Array, times: number }} input
 */
export function countWith({ mutex, count, times }) {
  const lock = Mutex.from(mutex);
  for (let n = 0; n < times; n++) lock.run(() => (count[0] = (count[0] ?? 0) + 1));
}

/** @param {import('@sluice/mutex').MutexHandle} mutex */
export function dieWithLock(mutex) {
  Mutex.from(mutex).lock();
  process.exit(1);
}

/** @param {readonly unknown[]} messages */
export function say(messages) {
  for (const message of messages) parentPort?.postMessage(message);
}

export const surroundings = () => ({
  argv: process.argv.slice(2),
  env: process.env['SLUICE_TEST'],
  workerData: words.length,
});

/** Counts continuously, with and without tasks. */
export function startTimer() {
  setInterval(() => Atomics.add(words, COUNT, 1), 1).unref();
}

export function startTimerForEver() {
  setInterval(() => undefined, 1000);
}

/**
 * Waits for the stage if the input says so.
 * @param {{ input: number, holds: boolean }} task
 */
export const holdSome = ({ input, holds }) => (holds ? hold(input) : input);

/** @param {number} input */
export function failAt3(input) {
  if (input === 3) throw new RangeError('input 3');
  return input;
}

/**
 * Every task but the first runs until its abort.
 * @param {number} input
 * @param {TaskContext} context
 */
export function spinAfter1(input, context) {
  if (input > 1) spin(input, context);
  return input;
}

/**
 * Ends its worker at its first runs.
 * @param {{ n: number, deaths: number }} task
 */
export function dieFirst({ n, deaths }) {
  if (Atomics.add(words, LOG + n, 1) < deaths) process.exit(1);
  return n;
}

/** Dies at its first run, when the test opens the stage. */
export async function dieWhenOpen() {
  begin(0);
  while (Atomics.load(words, OPEN) === 0) await sleep(1);
  if (Atomics.add(words, COUNT, 1) === 0) process.exit(1);
  return 'again';
}

/**
 * Returns nested arrays.
 * @param {number} depth
 * @param {unknown[]} [inner]
 */
export function nested(depth, inner = []) {
  let value = inner;
  for (let n = 0; n < depth; n++) value = [value];
  return value;
}

/**
 * Returns nested arrays, with a value in them that only a message can carry.
 * @param {number} depth
 */
export const nestedMessage = (depth) => nested(depth, [new SharedArrayBuffer(4)]);

/**
 * Throws nested arrays.
 * @param {number} depth
 */
export function throwNested(depth) {
  /** @type {any} */
  const thrown = nested(depth);
  throw thrown;
}

/** @param {unknown} value */
export const isArray = (value) => Array.isArray(value);

/** A function with a `then` method. */
export function thenableFunction() {
  return Object.assign(() => undefined, {
    then: (/** @type {(value: string) => void} */ resolve) => resolve('awaited'),
  });
}

/**
 * Uses the worker's own port, which belongs to the file.
 * @param {number} length
 */
export function closePort(length) {
  parentPort?.close();
  return 'x'.repeat(length);
}

/**
 * Uses the worker's port in a way that is allowed to the file.
 * @param {unknown} message
 */
export function postToAll(message) {
  parentPort?.emit('message', message);
  parentPort?.removeAllListeners();
}

/** @type {() => void} */
let openGate = () => undefined;
/** @type {Promise<void>} */
let gate = new Promise((resolve) => (openGate = resolve));

/**
 * Runs quick tasks beside slow tasks, so that slots get new tasks without a turn of the worker's event loop.
 * @param {'waits' | 'opens' | 'busy' | 'quick' | 'listens'} what
 * @param {TaskContext} context
 */
export function besideOthers(what, context) {
  if (what === 'listens') return listen(0, context);
  if (what === 'waits') return gate;
  if (what === 'opens') {
    setImmediate(() => {
      openGate();
      gate = new Promise((resolve) => (openGate = resolve));
    });
    return gate.then(() => undefined);
  }
  const end = performance.now() + (what === 'busy' ? 2 : 0);
  while (performance.now() < end);
  return undefined;
}

/** @param {{ fill: string, id: number }} input */
export function beginWith({ id }) {
  begin(id);
}

/** Continues for that many ms after the pool was closed. @param {number} ms */
export function goOn(ms) {
  begin(0);
  setTimeout(() => Atomics.add(words, ENDED, 1), ms);
}

/** @param {string} text */
export async function speak(text) {
  process.stdout.write(`out ${text}`);
  process.stderr.write(`err ${text}`);
  for await (const chunk of process.stdin) return String(chunk);
  return '';
}

/** Opens a file and does not close it. */
export function leaveOpen() {
  return openSync(fileURLToPath(import.meta.url), 'r');
}

/** @param {number} length */
export async function longLastWords(length) {
  setImmediate(() => process.exit(3));
  return 'x'.repeat(await Promise.resolve(length));
}

/**
 * Uses up the elements that this worker has for its waits.
 * @param {import('@sluice/core').SemaphoreHandle} handle
 */
export function waitOften(handle) {
  const semaphore = Semaphore.from(handle);
  for (let n = 0; n < 200; n++) semaphore.acquireAsync(1, { ref: false }).catch(() => undefined);
}

/**
 * @param {{ port1: import('node:worker_threads').MessagePort, buffer: ArrayBuffer, view: Uint8Array, kept: Uint8Array
 *   }} task
 */
export function overPort({ port1, buffer, view, kept }) {
  port1.postMessage([buffer.byteLength, view.byteOffset, view.buffer === buffer, kept[0]]);
  port1.close();
}

/** Fills the memory that Node.js shares among Buffers with the text. @param {string} text */
export function fillPool(text) {
  for (let n = 0; n < 2000; n++) Buffer.from(text);
}

/**
 * Returns whether the memory that Node.js shares among Buffers of the test is visible in the value.
 * @param {unknown} value
 */
export function showsSecret(value) {
  /** @type {Set<unknown>} */
  const seen = new Set();
  /** @param {unknown} part @returns {boolean} */
  const look = (part) => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return false;
    seen.add(part);
    if (ArrayBuffer.isView(part)) return Buffer.from(/** @type {ArrayBuffer} */ (part.buffer)).includes('hunter2');
    const parts = part instanceof Map ? [...part].flat() : part instanceof Set ? [...part] : Object.values(part);
    return parts.some(look);
  };
  return look(value);
}

export const smallBuffer = () => Buffer.from('abc');

export const typedArray = () => new Uint8Array([97, 98, 99]);

/** Node.js does not let its own memory be transferred. With an empty list it is copied. */
export const movedBuffer = () => move(Buffer.from('abc'), []);

/** @param {{ done: import('@sluice/core').SemaphoreHandle, n: number }} task */
export function signal({ done, n }) {
  Semaphore.from(done).release();
  return n;
}

/** Blocks, awaits or spins for that many ms. @param {number} ms @param {TaskContext} context */
export async function shortTask(ms, context) {
  if (ms > 2) while (!context.aborted && performance.now() % 7 > 1);
  if (ms > 0) await sleep(ms);
  return ms;
}

/** @param {unknown} _input @param {TaskContext} context */
export const whoAmI = (_input, context) => ({ workerId: context.workerId, threadId });

/** @param {unknown} _input @param {TaskContext} context */
export const workerId = (_input, context) => context.workerId;

/** Keeps this many MiB of heap. @param {number} mebibytes */
export function keepMemory(mebibytes) {
  kept.push(Array.from({ length: (mebibytes * 2 ** 20) / 8 }, (_, n) => n + 0.5));
  return kept.length;
}

/** @type {number[][]} */
const kept = [];

/** An export that is a promise. */
export const later = sleep(5).then(() => double);

export const brokenLater = sleep(5).then(() => {
  throw new RangeError('cannot be made');
});
brokenLater.catch(() => undefined);

/**
 * Returns the number of turns of this worker's event loop while the task waits for that many ms, and the time that passed.
 * @param {number} ms
 */
export async function turnsDuring(ms) {
  const turns = () => nodePerformance.nodeTiming.uvMetricsInfo.loopCount;
  const [before, began] = [turns(), performance.now()];
  await sleep(ms);
  return { turns: turns() - before, took: performance.now() - began };
}

/**
 * Computes for that many ms. Resolves in a later microtask with the number of its worker.
 * @param {number} ms
 * @param {{ readonly workerId: number }} context
 */
export async function computeThenId(ms, { workerId: worker }) {
  for (const end = performance.now() + ms; performance.now() < end; );
  await Promise.resolve();
  return worker;
}

/**
 * Prints that many lines. Fails if the number is negative.
 * @param {number} count
 */
export function print(count) {
  for (let n = 0; n < Math.abs(count); n++) (n % 2 === 0 ? console.log : console.error)(`line ${n}`);
  if (count < 0) throw new Error('after so many lines');
  return count;
}

/**
 * Corks its output.
 * @param {number} count
 */
export function printCorked(count) {
  process.stdout.cork();
  return print(count);
}

/**
 * Posts that many messages, each in three ways.
 * @param {{ port: import('node:worker_threads').MessagePort, count: number }} ways
 */
export function post({ port, count }) {
  const channel = new BroadcastChannel('posts');
  channel.unref();
  for (let n = 0; n < count; n++) for (const way of [parentPort, port, channel]) way?.postMessage(n);
}
