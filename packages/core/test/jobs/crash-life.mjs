// @ts-check
// The life of a worker of a death storm. It acts until its fate is due, or until the main thread terminates it.
import { Arena, Region } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import process from 'node:process';
import { CHOKING, NAP, PAUSE, RUNNING, SLOTS, SLOT_WORDS, tally, tallyReports } from './death-words.mjs';

/** @import { ArenaHandle, Engine, RegionHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */

/** How a worker ends by itself. `killed`: the main thread terminates it. */
/** @typedef {'killed' | 'exit' | 'throw' | 'memory' | 'end'} Fate */
/**
 * @typedef {object} LifeData
 * @property {ArenaHandle} arena
 * @property {Engine} engine
 * @property {RegionHandle} control
 * @property {number} slot
 * @property {Fate} fate
 * @property {number} rounds after so many it is due
 * @property {number} reclaims percentage of rounds that end with a look for dead agents
 */

export const EXIT_CODE = 3;
export const LAST_WORDS = 'thrown to die';
const ENDING = new Error('the job ends');

/** @param {CrashLife} life */
export async function liveAndDie(life) {
  try {
    await life.live();
  } catch (reason) {
    if (reason !== ENDING) throw reason;
  }
}

export class CrashLife {
  /** @param {LifeData} life @param {JobContext} context */
  constructor(life, { random, index }) {
    this.life = life;
    this.random = random;
    /** Differs from the random numbers of every other worker. */
    this.stamp = index + 1;
    this.place = Arena.from(life.arena, { engine: life.engine === 'js' ? jsEngine : undefined });
    this.words = Region.from(life.control).int32;
    this.state = SLOTS + SLOT_WORDS * life.slot;
    this.round = 0;
  }

  /** Performs one round. @returns {Promise<void>} */
  act() {
    throw new Error('not overridden');
  }

  /** The last act of a worker whose job ends. It is in line when the thread ends. */
  standInLine() {}

  async live() {
    const { words, state, random } = this;
    Atomics.store(words, state + 1, this.place.agentId);
    Atomics.store(words, state, RUNNING);
    for (;;) {
      this.pauseIfTold();
      await this.act();
      tally(words, 'operations', 1);
      this.round += 1;
      if (random.chance(this.life.reclaims)) this.recover();
      if (random.chance(10)) await this.turn();
    }
  }

  /** Recovers dead agents. */
  recover() {
    const reports = this.place.reclaimDead();
    tally(this.words, 'by workers', reports.length);
    tallyReports(this.words, reports);
  }

  /** Recovers repeatedly, so that it finds every agent that dies from now on. */
  async waitForTheDead() {
    for (let times = 0; times < 20; times++) {
      this.recover();
      Atomics.wait(this.words, NAP, 0, 0.2);
      if (times % 4 === 0) await this.turn();
    }
  }

  get isDue() {
    return this.round >= this.life.rounds;
  }

  turn() {
    return new Promise((resolve) => setImmediate(resolve));
  }

  pauseIfTold() {
    const { words, state } = this;
    for (let pause = Atomics.load(words, PAUSE); pause !== 0; pause = Atomics.load(words, PAUSE)) {
      Atomics.store(words, state, pause);
      Atomics.wait(words, PAUSE, pause);
    }
    Atomics.store(words, state, RUNNING);
  }

  async linger() {
    const { random, words } = this;
    const way = random.below(20);
    if (way < 4) for (let spin = random.below(500); spin > 0; spin--) Atomics.load(words, NAP);
    else if (way < 7) Atomics.wait(words, NAP, 0, random.below(4) / 10);
    else if (way < 8) await this.turn();
  }

  /** Dies with everything that it holds at the moment. */
  async dieIfDue() {
    const { fate } = this.life;
    if (!this.isDue || fate === 'killed') return;
    if (fate === 'exit') process.exit(EXIT_CODE);
    if (fate === 'memory') Atomics.store(this.words, this.state, CHOKING);
    for (const hoard = []; fate === 'memory'; ) hoard.push(new Array(100_000).fill(0));
    if (fate === 'end') {
      this.standInLine();
      throw ENDING;
    }
    queueMicrotask(() => {
      throw new Error(LAST_WORDS);
    });
    await new Promise(() => undefined);
  }
}
