// @ts-check
// One run. Workers visit primitives. The main thread visits them without blocking, kills workers, and from time to time
// lets all of them rest to check that nothing was lost.
import { Arena, Semaphore } from '@sluice/core';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../harness/src/random.mjs';
import { Clock } from './clock.mjs';
import { WorkerGroup } from './worker-group.mjs';
import { sampleMemory } from './memory.mjs';
import { Primitives } from './primitives.mjs';
import { Tally } from './tally.mjs';
import { MAX_WAITS } from './visit.mjs';
import { createWords, FOCUS, FOCUSED, HALTED, IDLE, slotAt, STARTING, STATE, VISITING, VISITS } from './words.mjs';

/** @import { Subject } from './subjects/subject.mjs' */
/** @import { Ways } from './visit.mjs' */
/** @import { Memory } from './memory.mjs' */

const LIFE = new URL('./life.mjs', import.meta.url);

/**
 * The time in ms, without pauses, after which a worker that ends no visit is stuck. It also limits the start of a
 * worker and its way to rest.
 */
const STUCK_MS = 60_000;
const TICK_MS = 20;
const LOOK_MS = 100;
/** The threads gather on the same primitives for this long. */
const EPOCH_MS = 1000;
/** So long from one rest to the next. */
const REST_EVERY_MS = 4000;
/**
 * @typedef {object} SoakOptions
 * @property {readonly Subject[]} subjects
 * @property {URL} [life] the workers' program, bundled
 * @property {number} workers
 * @property {number} seed
 * @property {Ways} ways
 * @property {() => boolean} isEager whether the main thread does not sleep between its visits
 * @property {() => boolean} sparesSome whether half of the workers are rarely killed
 * @property {() => number} killEvery
 * @property {number} sampleMs
 * @property {number} [restEveryMs]
 * @property {number} [stuckMs] after which a thread without progress is stuck
 * @property {(sample: Sample) => void} onSample
 * @property {(state: Soak) => boolean} isDone
 */
/**
 * @typedef {{ seconds: number, paused: number, cpuSeconds: number, totals: Record<string, number>, memory: Memory,
 *   rests: number }} Sample
 */

export class Soak {
  /** @type {Sample[]} */
  samples = [];
  rests = 0;
  tally;
  /** The state at the failure. @type {unknown} */
  failureState;
  arena = Arena.create({ maxPages: 1024 });
  primitives;
  #options;
  #stuckMs;
  #words;
  #random;
  #clock = new Clock(performance.now());
  #began = performance.now();
  #group;
  /** @type {Set<Promise<void>>} */
  #kills = new Set();
  /** @type {string | undefined} */
  #failure;
  #isStopped = false;
  #isHalting = false;
  /** The condition that the run waits for, and the start of the wait. */
  #awaited = { what: 'the start', since: 0 };
  /** By slot: visits ended, and when that changed. @type {Map<number, { visits: number, since: number }>} */
  #progress = new Map();

  /** @param {SoakOptions} options */
  constructor(options) {
    const { subjects, workers, seed, ways, life = LIFE } = options;
    this.#options = options;
    this.#stuckMs = options.stuckMs ?? STUCK_MS;
    this.#random = new Random(seed);
    this.#words = createWords(subjects.length);
    this.primitives = new Primitives(this.arena, this.#words, this.#random.fork(), ways);
    this.tally = new Tally(
      this.#words,
      subjects.map(({ name }) => name),
    );
    this.#group = new WorkerGroup({
      life,
      workers,
      words: this.#words,
      subjects: subjects.length,
      sparesSome: options.sparesSome,
      random: this.#random.fork(),
      arenas: () => this.primitives.arenas,
      data: () => ({ arena: this.arena.handle, ways, openings: this.primitives.openings }),
      onDeath: (slot, visiting) => this.#onDeath(slot, visiting),
      onReclaim: (report) => this.tally.recovered(report),
      onFailure: (reason) => this.#fail(reason),
    });
  }

  /** Returns the failure, or undefined. */
  async run() {
    const ticker = setInterval(() => this.#tick(), TICK_MS);
    const looker = setInterval(() => this.#look(), LOOK_MS);
    try {
      await this.#widen();
      await this.primitives.create(this.#options.subjects);
      this.#focus();
      // The pool has workers of its own.
      if (this.primitives.openings.length > 0) this.#group.start();
      await Promise.race([this.#work(), this.#untilFailure()]);
    } catch (failure) {
      this.#fail(failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));
    }
    try {
      // The last rest needs both intervals, as every rest does.
      if (this.#failure === undefined) await Promise.race([this.#end(), this.#untilFailure()]);
    } catch (failure) {
      this.#fail(failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));
    }
    clearInterval(ticker);
    clearInterval(looker);
    // A worker that is stuck is ended, too.
    if (this.#failure !== undefined) await this.#group.end();
    return this.#failure;
  }

  /** The run ends at its next rest. */
  stop() {
    this.#isStopped = true;
  }

  get seconds() {
    return (performance.now() - this.#began) / 1000;
  }

  get pausedSeconds() {
    return this.#clock.paused / 1000;
  }

  get giveUps() {
    const { timeouts, aborts } = this.tally.total;
    return timeouts + aborts;
  }

  get #state() {
    const slots = this.#group.members.map(({ slot }) => {
      const [state, visiting, visits] = [STATE, VISITING, VISITS].map((word) =>
        Atomics.load(this.#words, slotAt(slot) + word),
      );
      return { slot, state, visiting: this.#options.subjects[(visiting ?? 0) - 1]?.name, visits };
    });
    return { awaited: this.#awaited, slots, arenas: this.primitives.arenas.map((arena) => arena.inspect()) };
  }

  /**
   * As many waits as all threads together have at a time: from then on the arena has its size, and growth means
   * something.
   */
  async #widen() {
    const sem = Semaphore.create(0, { arena: this.arena });
    const controller = new AbortController();
    const waits = Array.from({ length: (this.#options.workers + 1) * MAX_WAITS }, () =>
      sem.acquireAsync(1, { signal: controller.signal }),
    );
    const all = Promise.allSettled(waits);
    controller.abort();
    await all;
    sem.free();
  }

  async #work() {
    const { isDone, sampleMs, onSample } = this.#options;
    let nextSample = 0;
    while (!this.#isStopped && !isDone(this) && this.#failure === undefined) {
      await this.#untilRest();
      await this.#rest();
      if (this.seconds * 1000 < nextSample) continue;
      nextSample = this.seconds * 1000 + sampleMs;
      const sample = this.#sample();
      this.samples.push(sample);
      onSample(sample);
    }
  }

  /** Visits and kills until it is time to rest. */
  async #untilRest() {
    const { isDone, restEveryMs = REST_EVERY_MS } = this.#options;
    const end = performance.now() + restEveryMs;
    const goesOn = () => performance.now() < end && !this.#isStopped && this.#failure === undefined && !isDone(this);
    await Promise.all([this.#visitWhile(goesOn), this.#killWhile(goesOn), this.#focusWhile(goesOn)]);
  }

  /** The main thread's own visits. @param {() => boolean} goesOn */
  async #visitWhile(goesOn) {
    while (goesOn()) {
      const entry = this.primitives.at(Atomics.load(this.#words, FOCUS + this.#random.below(FOCUSED)));
      this.#awaited = { what: `a visit of the main thread at ${entry?.subject.name}`, since: this.#clock.ran };
      await entry?.visitor?.visit();
      this.#awaited = { what: '', since: this.#clock.ran };
      await (this.#options.isEager() ? turn() : sleep(this.#random.below(10)));
    }
  }

  /** Beside the visits: one of those may wait for a long time. @param {() => boolean} goesOn */
  async #killWhile(goesOn) {
    for (;;) {
      await sleep(this.#random.below(2 * this.#options.killEvery()));
      if (!goesOn()) return;
      this.#kill();
      if (this.#random.chance(10)) this.#kill();
    }
  }

  /** @param {() => boolean} goesOn */
  async #focusWhile(goesOn) {
    while (goesOn()) {
      this.#focus();
      this.tally.collect();
      await sleep(EPOCH_MS);
    }
    this.tally.collect();
  }

  #kill() {
    const kill = this.#group.kill().then(
      () => void this.#kills.delete(kill),
      (/** @type {unknown} */ failure) => this.#fail(String(failure)),
    );
    this.#kills.add(kill);
  }

  /** All workers stop between two visits; then each primitive is checked, and some are made anew. */
  async #rest() {
    this.primitives.closeSome();
    await this.#until('kills', () => this.#kills.size === 0);
    Atomics.store(this.#words, HALTED, 1);
    this.#isHalting = true;
    this.primitives.halt();
    await this.#until('all workers to rest', () =>
      this.#group.members.every(({ slot }) => Atomics.load(this.#words, slotAt(slot) + STATE) === IDLE),
    );
    for (const arena of this.primitives.arenas) arena.reclaimDead();
    const problems = await this.primitives.problems((what) => (this.#awaited = { what, since: this.#clock.ran }));
    if (problems.length > 0) this.#fail(`at rest ${this.rests + 1}:\n${problems.join('\n')}`);
    this.#awaited = { what: 'primitives to be created again', since: this.#clock.ran };
    await this.primitives.renewSome((opening) => this.#group.tell(opening));
    this.tally.collect();
    this.rests += 1;
    this.#isHalting = false;
    this.#progress.clear();
    this.#awaited = { what: '', since: this.#clock.ran };
    Atomics.store(this.#words, HALTED, 0);
    Atomics.notify(this.#words, HALTED);
  }

  /** Other primitives than before, each as often as the others. */
  #focus() {
    const open = this.primitives.openings.map(({ index }) => index);
    if (open.length === 0) return;
    for (let i = 0; i < FOCUSED; i++) {
      if (this.#turn.length === 0) this.#turn = shuffled(open, this.#random);
      Atomics.store(this.#words, FOCUS + i, this.#turn.pop() ?? 0);
    }
  }

  /** @type {number[]} */
  #turn = [];

  /** @param {number} slot @param {number} visiting */
  #onDeath(slot, visiting) {
    this.tally.died(visiting);
    this.#progress.delete(slot);
    this.primitives.at(visiting)?.made.onDeath?.(slot);
  }

  #tick() {
    if (this.#failure !== undefined || this.#isEnding) return;
    try {
      this.primitives.tick(this.#isHalting);
    } catch (failure) {
      this.#fail(failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));
    }
  }

  /** The stuck detector. */
  #look() {
    this.#clock.tick(performance.now());
    const now = this.#clock.ran;
    if (this.#awaited.what !== '' && now - this.#awaited.since > this.#stuckMs)
      this.#fail(`after ${this.#stuckMs / 1000} s still waiting for ${this.#awaited.what}`);
    if (this.#isHalting) return;
    for (const { slot, isDying } of this.#group.members) {
      const visits = Atomics.load(this.#words, slotAt(slot) + VISITS);
      const known = this.#progress.get(slot);
      if (isDying || known?.visits !== visits) this.#progress.set(slot, { visits, since: now });
      else if (now - known.since > this.#stuckMs) {
        const isStarting = Atomics.load(this.#words, slotAt(slot) + STATE) === STARTING;
        const visiting =
          this.#options.subjects[Atomics.load(this.#words, slotAt(slot) + VISITING) - 1]?.name ?? 'nothing';
        this.#fail(
          `the worker in slot ${slot} is stuck for ${this.#stuckMs / 1000} s ${isStarting ? 'while it starts' : `at ${visiting}`}`,
        );
      }
    }
  }

  /** @param {string} what @param {() => boolean} holds */
  async #until(what, holds) {
    this.#awaited = { what, since: this.#clock.ran };
    while (!holds() && this.#failure === undefined) await sleep(1);
    this.#awaited = { what: '', since: this.#clock.ran };
  }

  async #untilFailure() {
    while (this.#failure === undefined && !this.#isOver) await sleep(LOOK_MS);
  }

  #isOver = false;
  /** The primitives are being freed. */
  #isEnding = false;

  /** @param {string} reason */
  #fail(reason) {
    if (this.#isOver || this.#failure !== undefined) return;
    this.#failure = reason;
    this.failureState = this.#state;
  }

  /** @returns {Sample} */
  #sample() {
    const { user, system } = process.cpuUsage();
    const { refused, inherited, ...totals } = this.tally.total;
    return {
      seconds: Math.round(this.seconds * 10) / 10,
      paused: Math.round(this.pausedSeconds * 10) / 10,
      cpuSeconds: Math.round((user + system) / 1e5) / 10,
      totals: { ...totals, ownKills: this.primitives.ownKills },
      memory: sampleMemory(this.primitives.arenas),
      rests: this.rests,
    };
  }

  async #end() {
    await this.#rest();
    if (this.#failure !== undefined) return;
    await this.#group.end();
    for (const arena of this.primitives.arenas) arena.reclaimDead();
    this.#isEnding = true;
    await this.primitives.end();
    const { blocks, agents, elements } = this.arena.inspect();
    const left = blocks.filter(({ name }) => name !== '').map(({ name }) => name);
    if (agents.length > 1 || left.length > 0 || elements.waiting > 0) {
      this.#fail(`at the end: ${agents.length - 1} agents, ${elements.waiting} waits, blocks ${left.join(', ')}`);
    }
    this.#isOver = true;
  }
}

/** @param {readonly number[]} list @param {Random} random */
function shuffled(list, random) {
  const rest = [...list];
  return Array.from(
    { length: rest.length },
    () => /** @type {number} */ (rest.splice(random.below(rest.length), 1)[0]),
  );
}
