// @ts-check Workers that consume signals in every way, with many timeouts.
import { AutoResetEvent } from '@sluice/auto-reset-event';
import { jsAutoResetEvent } from '@sluice/auto-reset-event/js';
import { Arena, Region } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import { OFFICE } from '@sluice/core/format';
import { enterLock } from '../../../core/test/jobs/lock-ways.mjs';

/** @import { ArenaHandle, AsyncLock, Engine, Lock, RegionHandle } from '@sluice/core' */
/** @import { AutoResetEventHandle } from '@sluice/auto-reset-event' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LockWay } from '../../../core/test/jobs/lock-ways.mjs' */

export const START = 0;
export const STOP = 1;
/** The number of holders of the baton of `passBaton`, and the plain counter that the baton protects. */
export const INSIDE = 32;
export const COUNT = 33;
export const WORDS = 64;

/**
 * @typedef {object} StormData
 * @property {ArenaHandle} arena
 * @property {Engine | undefined} engine
 * @property {AutoResetEventHandle} event
 * @property {RegionHandle} words
 * @property {number} rounds
 * @property {LockWay[]} ways
 * @property {number} tasks async tasks at the same time
 * @property {number} lasting percentage of visits that last a while
 */
/** @typedef {{ calls: number, taken: number, gaveUp: number }} StormResult */

/** Presents the event's waits as a lock. @param {AutoResetEvent} event @returns {Lock & AsyncLock} */
export function asLock(event) {
  return {
    lock: () => event.wait(),
    tryLock: (timeoutMs) => event.tryWait(timeoutMs),
    lockAsync: (options) => event.waitAsync(options),
    unlock: () => event.signal(),
  };
}

/** @param {StormData} data */
function open({ arena, engine, event, words }) {
  const place = Arena.from(arena, { engine: engine === 'js' ? jsEngine.with(jsAutoResetEvent) : undefined });
  if (place.engine !== (engine ?? place.engine)) throw new Error(`The engine is ${place.engine}, not ${engine}.`);
  return { event: AutoResetEvent.from(event), words: Region.from(words).int32 };
}

/** @param {Int32Array} words @param {JobContext} context */
function waitForStart(words, { say }) {
  say('ready');
  Atomics.wait(words, START, 0);
}

/**
 * Passes one signal around: a worker that consumes it signals again. Throws if two workers have it. The main thread
 * takes part, too. @param {StormData} data @param {JobContext} context @returns {Promise<StormResult>}
 */
export async function passBaton(data, context) {
  const { event, words } = open(data);
  const lock = asLock(event);
  const result = { calls: 0, taken: 0, gaveUp: 0 };
  const task = async () => {
    const random = context.random.fork();
    for (let round = 0; round < data.rounds; round++) {
      result.calls += 1;
      if (!(await enterLock(lock, random.pick(data.ways), random))) {
        result.gaveUp += 1;
        continue;
      }
      result.taken += 1;
      if (Atomics.add(words, INSIDE, 1) !== 0) throw new Error('two workers hold the one signal');
      const count = words[COUNT] ?? 0;
      if (random.chance(data.lasting)) for (let spin = random.below(300); spin > 0; spin--) Atomics.load(words, STOP);
      if (random.chance(2)) Atomics.wait(words, STOP, 0, 0.1);
      if (data.tasks > 1 && random.chance(10)) await new Promise((resolve) => setImmediate(resolve));
      words[COUNT] = count + 1;
      if (Atomics.sub(words, INSIDE, 1) !== 1) throw new Error('two workers held the one signal');
      event.signal();
    }
  };
  waitForStart(words, context);
  await Promise.all(Array.from({ length: data.tasks }, task));
  return result;
}

/**
 * Consumes signals until it is told to stop. @param {StormData} data @param {JobContext} context @returns
 * {Promise<StormResult>}
 */
export async function takeAll(data, context) {
  const { event, words } = open(data);
  const lock = asLock(event);
  const result = { calls: 0, taken: 0, gaveUp: 0 };
  waitForStart(words, context);
  while (Atomics.load(words, STOP) === 0) {
    result.calls += 1;
    if (await enterLock(lock, context.random.pick(data.ways), context.random)) result.taken += 1;
    else result.gaveUp += 1;
  }
  return result;
}

/**
 * Signals only while no signal is kept. No other worker signals, so no signals collapse, and at the end each one was
 * consumed or is kept. @param {StormData} data @param {JobContext} context @returns {StormResult}
 */
export function signalAll(data, context) {
  const { event, words } = open(data);
  const office = new Int32Array(data.event.memory.buffer, data.event.address + OFFICE, 1);
  waitForStart(words, context);
  for (let round = 0; round < data.rounds; round++) {
    // A pause between checks: the worker that is to consume the signal may need this core.
    for (let looks = 1; Atomics.load(office, 0) > 0; looks++)
      if (looks % 1000 === 0) Atomics.wait(words, STOP, 0, 0.05);
    event.signal();
    if (context.random.chance(20))
      for (let spin = context.random.below(300); spin > 0; spin--) Atomics.load(words, STOP);
  }
  Atomics.store(words, STOP, 1);
  return { calls: data.rounds, taken: 0, gaveUp: 0 };
}
