// @ts-check
// A storm: reads and writes plain words in every way, with many timeouts. The main thread takes part, too.
import { Arena, Region } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import { RwLock } from '@sluice/rw-lock';
import { jsRwLock } from '@sluice/rw-lock/js';
import { enterLock } from '../../../core/test/jobs/lock-ways.mjs';

/** @import { ArenaHandle, Engine, RegionHandle } from '@sluice/core' */
/** @import { RwLockHandle } from '@sluice/rw-lock' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LockWay } from '../../../core/test/jobs/lock-ways.mjs' */

/** The word before those of the locks: set at the start. */
export const START = 0;
/** Words of each lock: writers inside, readers inside, then the protected words, over three lines. */
export const WRITING = 1;
export const READING = 2;
export const PAYLOAD = 16;
const PAYLOAD_WORDS = 80;
export const LOCK_WORDS = 96;

/** @typedef {LockWay | 'run' | 'run async'} Way */
/**
 * @typedef {object} StormData
 * @property {ArenaHandle} arena
 * @property {Engine | undefined} engine
 * @property {RwLockHandle[]} locks
 * @property {RegionHandle} words
 * @property {number} rounds
 * @property {Way[]} readerWays
 * @property {Way[]} writerWays
 * @property {number} writes percentage
 * @property {number} tasks async tasks at the same time
 * @property {number} lasting percentage of visits that last a while
 */
/**
 * `writes`: by lock.
 * @typedef {{ calls: number, reads: number, downgrades: number, gaveUp: number, writes: number[] }} StormResult
 */

/**
 * Throws if it sees half of a write.
 * @param {StormData} data
 * @param {JobContext} context
 * @returns {Promise<StormResult>}
 */
export async function storm(data, { random, say }) {
  const place = Arena.from(data.arena, { engine: data.engine === 'js' ? jsEngine.with(jsRwLock) : undefined });
  if (place.engine !== (data.engine ?? place.engine))
    throw new Error(`The engine is ${place.engine}, not ${data.engine}.`);
  const words = Region.from(data.words).int32;
  const visitors = data.locks.map(
    (handle, which) => new Visitor(RwLock.from(handle), words, which * LOCK_WORDS, random, data.lasting),
  );
  let calls = 0;
  const task = async () => {
    const dice = random.fork();
    for (let round = 0; round < data.rounds; round++) {
      calls += 1;
      const visitor = dice.pick(visitors);
      if (dice.chance(data.writes)) await visitor.write(dice.pick(data.writerWays));
      else await visitor.read(dice.pick(data.readerWays));
      if (data.tasks > 1 && dice.chance(10)) await turn();
    }
  };
  say('ready');
  Atomics.wait(words, START, 0);
  await Promise.all(Array.from({ length: data.tasks }, task));
  /** @param {'reads' | 'downgrades' | 'gaveUp'} key */
  const sum = (key) => visitors.reduce((total, visitor) => total + visitor[key], 0);
  const writes = visitors.map((visitor) => visitor.writes);
  return { calls, reads: sum('reads'), downgrades: sum('downgrades'), gaveUp: sum('gaveUp'), writes };
}

function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}

class Visitor {
  reads = 0;
  writes = 0;
  downgrades = 0;
  gaveUp = 0;

  /**
   * @param {RwLock} lock @param {Int32Array} words @param {number} at
   * @param {JobContext['random']} random @param {number} lasting
   */
  constructor(lock, words, at, random, lasting) {
    this.lock = lock;
    this.words = words;
    this.writing = at + WRITING;
    this.reading = at + READING;
    this.payload = at + PAYLOAD;
    this.random = random;
    this.lasting = lasting;
  }

  /** @param {Way} way */
  async read(way) {
    const { reader } = this.lock;
    if (way === 'run') reader.run(() => this.look());
    else if (way === 'run async') await reader.runAsync(() => this.lookTwice());
    else if (await enterLock(reader, way, this.random)) {
      if (way.startsWith('async')) await this.lookTwice();
      else this.look();
      reader.unlock();
    } else {
      this.gaveUp += 1;
    }
  }

  /** @param {Way} way */
  async write(way) {
    const { writer } = this.lock;
    if (way === 'run') writer.run(() => this.change());
    else if (way === 'run async') await writer.runAsync(() => this.changeSlowly());
    else if (await enterLock(writer, way, this.random)) {
      if (way.startsWith('async')) await this.changeSlowly();
      else this.change();
      if (this.random.chance(30)) this.downgrade();
      else writer.unlock();
    } else {
      this.gaveUp += 1;
    }
  }

  /** Downgrades and reads. No other agent can write in between. */
  downgrade() {
    const before = this.words[this.payload];
    this.lock.downgrade();
    this.downgrades += 1;
    this.look();
    if (this.words[this.payload] !== before) throw new Error('another agent wrote during a downgrade');
    this.lock.reader.unlock();
  }

  look() {
    const { words, random } = this;
    Atomics.add(words, this.reading, 1);
    const number = this.check();
    if (random.chance(this.lasting)) for (let spin = random.below(300); spin > 0; spin--) Atomics.load(words, START);
    if (random.chance(2)) Atomics.wait(words, START, 1, 0.1);
    // Read again if no writer waits.
    if (random.chance(5) && this.lock.reader.tryLock()) this.lock.reader.unlock();
    if (this.check() !== number) throw new Error('another agent wrote while this agent read');
    Atomics.sub(words, this.reading, 1);
    this.reads += 1;
  }

  async lookTwice() {
    Atomics.add(this.words, this.reading, 1);
    const number = this.check();
    if (this.random.chance(this.lasting)) await turn();
    if (this.check() !== number) throw new Error('another agent wrote while this agent read');
    Atomics.sub(this.words, this.reading, 1);
    this.reads += 1;
  }

  /** Checks that all words are equal and no agent writes. Returns their value. */
  check() {
    const { words, payload } = this;
    if (Atomics.load(words, this.writing) !== 0) throw new Error('another agent writes while this agent reads');
    const number = words[payload] ?? 0;
    for (let at = payload; at < payload + PAYLOAD_WORDS; at++) {
      if (words[at] !== number) throw new Error(`word ${at - payload} is ${words[at]} where the first is ${number}`);
    }
    return number;
  }

  change() {
    const half = this.beginToChange();
    if (this.random.chance(this.lasting))
      for (let spin = this.random.below(300); spin > 0; spin--) Atomics.load(this.words, START);
    if (this.random.chance(2)) Atomics.wait(this.words, START, 1, 0.1);
    this.endChange(half);
  }

  async changeSlowly() {
    const half = this.beginToChange();
    if (this.random.chance(this.lasting)) await turn();
    this.endChange(half);
  }

  /** Returns the index at which it stopped. */
  beginToChange() {
    const { words, payload } = this;
    const number = this.check();
    if (Atomics.exchange(words, this.writing, 1) !== 0) throw new Error('two agents write at the same time');
    const half = payload + this.random.below(PAYLOAD_WORDS);
    for (let at = payload; at < half; at++) words[at] = number + 1;
    return half;
  }

  /** @param {number} half */
  endChange(half) {
    const { words, payload } = this;
    for (let at = half; at < payload + PAYLOAD_WORDS; at++) words[at] = (words[at] ?? 0) + 1;
    const readers = Atomics.load(words, this.reading);
    if (readers !== 0) throw new Error(`${readers} agents read while this agent writes`);
    if (Atomics.exchange(words, this.writing, 0) !== 1) throw new Error('another agent wrote at the same time');
    this.writes += 1;
  }
}
