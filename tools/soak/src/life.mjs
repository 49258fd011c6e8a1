// @ts-check
// A worker's life: it visits one primitive after the other until it is killed.
import { Arena } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Random } from '../../harness/src/random.mjs';
import { SUBJECTS } from './subjects/index.mjs';
import { countAt, FOCUS, FOCUSED, HALTED, IDLE, RUNNING, slotAt, STATE, VISITING, VISITS } from './words.mjs';

/** @import { ArenaHandle } from '@sluice/core' */
/** @import { Subject } from './subjects/subject.mjs' */
/** @import { Ways } from './visit.mjs' */
/** @import { Count } from './words.mjs' */

/**
 * The handles of a primitive; those of a later generation take the place of earlier ones. @typedef {{ index: number,
 * name: string, generation: number, handles: unknown }} Opening
 */
/**
 * @typedef {object} LifeData
 * @property {ArenaHandle} arena
 * @property {Int32Array} words
 * @property {number} slot
 * @property {number} seed
 * @property {Ways} ways
 * @property {readonly Opening[]} openings
 */

/** Percentage of visits to primitives on which the threads gather. */
const TOGETHER = 90;

void main();

async function main() {
  try {
    await live(/** @type {LifeData} */ (workerData));
  } catch (failure) {
    parentPort?.postMessage(failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));
  }
}

/** @param {LifeData} data */
async function live({ arena: handle, words, slot, seed, ways, openings }) {
  const arena = Arena.from(handle);
  const context = contextOf(arena);
  const random = new Random(seed);
  const at = slotAt(slot);
  const known = await waysToOpen(openings);
  /** @type {Map<number, Opening>} */
  const latest = new Map(openings.map((opening) => [opening.index, opening]));
  /** @type {Map<number, { generation: number, visit: () => Promise<void> }>} */
  const open = new Map();

  /** @param {number} index */
  const visitorAt = (index) => {
    const opening = latest.get(index);
    const openIt = known.get(index);
    if (opening === undefined || openIt === undefined) return undefined;
    const present = open.get(index);
    if (present?.generation === opening.generation) return present;
    const count = (/** @type {Count} */ what, n = 1) => void Atomics.add(words, countAt(index, what), n);
    const visitor = openIt(opening.handles, {
      words,
      random,
      count,
      mayBlock: true,
      ways,
      name: opening.name,
      subject: index,
      slot,
    });
    const opened = { generation: opening.generation, visit: () => visitor.visit() };
    open.set(index, opened);
    return opened;
  };

  Atomics.store(words, at + STATE, RUNNING);
  for (;;) {
    if (Atomics.load(words, HALTED) === 1) {
      Atomics.store(words, at + STATE, IDLE);
      Atomics.wait(words, HALTED, 1);
      Atomics.store(words, at + STATE, RUNNING);
      // The main thread makes primitives anew only while the workers stop.
      for (let received = next(); received !== undefined; received = next()) latest.set(received.index, received);
      continue;
    }
    const index = random.chance(TOGETHER)
      ? Atomics.load(words, FOCUS + random.below(FOCUSED))
      : random.pick(openings).index;
    Atomics.store(words, at + VISITING, index + 1);
    const sleeps = context.parks;
    await visitorAt(index)?.visit();
    const slept = context.parks - sleeps;
    if (slept > 0) Atomics.add(words, countAt(index, 'sleeps'), slept);
    Atomics.store(words, at + VISITING, 0);
    Atomics.add(words, at + VISITS, 1);
    if (random.chance(5)) await pause(0);
  }
}

/** @returns {Opening | undefined} */
function next() {
  const received = parentPort === null ? undefined : receiveMessageOnPort(parentPort);
  return received === undefined ? undefined : /** @type {Opening} */ (received.message);
}

/** How each is opened. @param {readonly Opening[]} openings */
async function waysToOpen(openings) {
  /** @type {Map<number, NonNullable<Subject['open']>>} */
  const found = new Map();
  for (const { index, name } of openings) {
    const subject = SUBJECTS.find((one) => one.name === name);
    const open = subject === undefined ? (await import('./subjects/bridged.mjs')).openBridged : subject.open;
    if (open !== undefined) found.set(index, open);
  }
  return found;
}
