// @ts-check
// The workers of a run, one per slot. They are killed at random and replaced, and their recoveries are counted.
import { Worker } from 'node:worker_threads';
import { clearSlot } from './census.mjs';
import { slotAt, STARTING, STATE, VISITING, VISITS } from './words.mjs';

/** @import { Arena, ReclaimReport } from '@sluice/core' */
/** @import { Random } from '@sluice/harness' */
/** @import { LifeData, Opening } from './life.mjs' */

/** Percentage of kills of any worker. */
const LONG_LIVED = 25;

/** @typedef {{ slot: number, worker: Worker, gone: Promise<void>, isDying: boolean }} Member */

/**
 * @typedef {object} WorkerGroupOptions
 * @property {URL} life the workers' program
 * @property {number} workers
 * @property {Int32Array} words
 * @property {number} subjects
 * @property {Random} random
 * @property {() => boolean} sparesSome whether half of the workers are rarely killed
 * @property {() => readonly Arena[]} arenas in which the dead are recovered
 * @property {() => Omit<LifeData, 'words' | 'slot' | 'seed'>} data
 * @property {(slot: number, visiting: number) => void} onDeath right before a worker is recovered; `visiting`: index of
 *   the primitive, or -1
 * @property {(report: ReclaimReport) => void} onReclaim
 * @property {(reason: string) => void} onFailure
 */

export class WorkerGroup {
  #options;
  /** By slot. @type {Map<number, Member>} */
  #members = new Map();
  #isOver = false;

  /** @param {WorkerGroupOptions} options */
  constructor(options) {
    this.#options = options;
  }

  start() {
    for (let slot = 1; slot <= this.#options.workers; slot++) this.#bear(slot);
  }

  get members() {
    return [...this.#members.values()];
  }

  /**
   * Ends a worker, nearly always one that has begun (if there is one), and starts another in its slot. Returns when
   * that one was recovered.
   */
  async kill() {
    const { random, words } = this.#options;
    const living = this.members.filter(({ isDying }) => !isDying);
    const begun = living.filter(({ slot }) => Atomics.load(words, slotAt(slot) + STATE) !== STARTING);
    const fit = random.chance(3) ? living : begun;
    // Surviving workers have compiled code, and do in a second what new ones do in a minute.
    const shortLived = fit.filter(({ slot }) => slot % 2 === 0);
    const chosen =
      shortLived.length === 0 || !this.#options.sparesSome() || random.chance(LONG_LIVED) ? fit : shortLived;
    if (chosen.length === 0) return;
    const victim = random.pick(chosen);
    victim.isDying = true;
    await victim.worker.terminate();
    await victim.gone;
    if (!this.#isOver) this.#bear(victim.slot);
  }

  /** Ends all workers, and returns when they were recovered. */
  async end() {
    this.#isOver = true;
    for (const member of this.members) member.isDying = true;
    await Promise.all(this.members.map(async ({ worker, gone }) => worker.terminate().then(() => gone)));
  }

  /** @param {Opening} opening */
  tell(opening) {
    for (const { worker } of this.members) worker.postMessage(opening);
  }

  /** @param {number} slot */
  #bear(slot) {
    const { life, words, random, arenas, data, onReclaim, onFailure } = this.#options;
    for (const word of [STATE, VISITING, VISITS]) Atomics.store(words, slotAt(slot) + word, STARTING);
    /** @type {LifeData} */
    const workerData = { ...data(), words, slot, seed: random.next() };
    const worker = new Worker(life, { workerData, execArgv: [] });
    /** @type {() => void} */
    let leave = () => undefined;
    /** @type {Member} */
    const member = { slot, worker, gone: new Promise((resolve) => (leave = resolve)), isDying: false };
    worker.on('message', (text) => onFailure(`the worker in slot ${slot}: ${String(text)}`));
    worker.on('error', (error) => onFailure(`the worker in slot ${slot} ended with ${error.stack ?? String(error)}`));
    // Before the watches below, which recover it: the order of the listeners is that of their calls.
    worker.on('exit', () => this.#bury(member));
    for (const arena of arenas()) arena.watch(worker, { onReclaim });
    worker.on('exit', () => leave());
    this.#members.set(slot, member);
  }

  /** @param {Member} member */
  #bury(member) {
    const { words, subjects, onDeath, onFailure } = this.#options;
    this.#members.delete(member.slot);
    if (!member.isDying) onFailure(`the worker in slot ${member.slot} ended by itself`);
    clearSlot(words, subjects, member.slot);
    onDeath(member.slot, Atomics.load(words, slotAt(member.slot) + VISITING) - 1);
  }
}
