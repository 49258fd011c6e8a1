// Depth-first search over all schedules. A state seen before is not searched again. Sleep sets omit a transition that
// was explored at an earlier state and commutes with all transitions since then. The combination is sound in this form
// (Godefroid): each state is stored with its sleep set. If the search meets the state again with a smaller sleep set,
// it explores the transitions that it omitted before.
//
// A pass that meets a newly shared word is repeated. Before that, it continues for as long as it has taken so far,
// because further such words are probably near. After a long pass, random walks look for shared words elsewhere.

import { commute, emptyFootprint, fillFootprint } from './footprint.ts';
import { Frame } from './frame.ts';
import { Machine } from './machine.ts';
import { RandomWalk } from './random-walk.ts';
import { StateCache } from './state-cache.ts';
import { StateKey } from './state-key.ts';
import { Tally } from './tally.ts';
import { agentOf, bitOf, RUN, transitionOf } from './transition.ts';
import type { Options, Scenario } from './types.ts';

const NO_BOUND = 1_000_000;
/** The length of a long pass, in operations. A shorter pass costs less than the walks. */
const LONG_PASS = 500;
const LONGEST_WALKS = 20_000;

export class Search {
  readonly machine: Machine;
  readonly tally: Tally;
  readonly #cache = new StateCache();
  readonly #key = new StateKey();
  readonly #frames: Frame[] = [];
  readonly #bounded: boolean;
  readonly #preemptions: number;
  readonly #caching: boolean;
  readonly #sleeping: boolean;
  readonly #mine = emptyFootprint();
  readonly #other = emptyFootprint();
  readonly #walk: RandomWalk;
  /** The operation at which the pass ends, if it has met a newly shared word. */
  #end = Infinity;

  constructor(scenario: Scenario, options: Options) {
    this.machine = new Machine(scenario, options);
    this.tally = new Tally(options);
    this.#walk = new RandomWalk(scenario, { ...options, random: { seed: 1, executions: Infinity } }, this.machine);
    this.#bounded = options.preemptions !== undefined;
    this.#preemptions = options.preemptions ?? NO_BOUND;
    this.#caching = options.reductions?.cache ?? true;
    // The schedule that a sleep set relies on may need more preemptions than the bound allows.
    this.#sleeping = (options.reductions?.sleepSets ?? true) && !this.#bounded;
  }

  /** Searches until a failure, a limit, or the end. Returns the failing path, if there is one. */
  run(): readonly (readonly [transition: number, branch: number])[] | undefined {
    const { machine, tally } = this;
    let isOutdated: boolean;
    do {
      machine.sharing.adopt();
      machine.reset();
      this.#cache.clear();
      tally.startPass();
      this.#end = Infinity;
      const depth = this.#pass();
      // A path that began before a word was known to be shared cannot be repeated. The next pass meets the failure
      // again.
      if (machine.session.failure !== undefined && this.#end === Infinity) {
        return this.#frames.slice(0, depth).map((frame) => [frame.transition, frame.branch] as const);
      }
      isOutdated = this.#end < Infinity || machine.sharing.outdated;
      if (isOutdated && tally.operations > LONG_PASS) this.#walk.learn(Math.min(tally.operations, LONGEST_WALKS));
    } while (isOutdated && !tally.limited);
    return undefined;
  }

  /** Performs one pass. Returns the depth that it reached: the frames before it lead to the present state. */
  #pass(): number {
    const { machine, tally } = this;
    if (machine.sharing.outdated) return 0;
    let depth = this.#enter(0, 0, -1, this.#preemptions) ? 1 : 0;
    while (depth > 0) {
      const frame = this.#frame(depth - 1);
      if (!frame.next()) {
        depth -= 1;
        continue;
      }
      if (tally.isOver()) return depth;
      if (frame.visited) machine.restore(frame.snapshot);
      frame.visited = true;
      const agent = agentOf(frame.transition);
      const sleep = this.#sleepAfter(frame);
      const preempts = frame.canContinue && agent !== frame.last;
      machine.perform(frame.transition, frame.branch);
      if (depth >= tally.maxOperations)
        machine.session.fail('livelock', `an execution of more than ${tally.maxOperations} operations`);
      const last = frame.branches > 0 ? frame.last : agent;
      const entered = this.#enter(depth, sleep, last, frame.preemptions - (preempts ? 1 : 0));
      if (machine.session.failure !== undefined) return depth;
      if (this.#endsAfterLearning()) return depth;
      if (entered) depth += 1;
    }
    return 0;
  }

  /** Treats a word that proves shared as shared from now on. Returns whether the pass ends here. */
  #endsAfterLearning(): boolean {
    const { machine, tally } = this;
    if (machine.sharing.outdated) {
      machine.sharing.adopt();
      this.#end = Math.min(this.#end, 2 * tally.operations);
    }
    return tally.operations >= this.#end;
  }

  /** Enters the state just reached. Returns whether it has transitions to explore. */
  #enter(depth: number, sleep: number, last: number, preemptions: number): boolean {
    const { machine, tally } = this;
    if (machine.session.failure !== undefined) return false;
    const frame = this.#frame(depth);
    frame.sleep = sleep;
    frame.last = last;
    frame.preemptions = preemptions;
    frame.branch = 0;
    frame.branches = 0;
    frame.canContinue = false;
    frame.visited = false;
    const branching = machine.branching();
    if (branching >= 0) {
      frame.transition = transitionOf(branching, RUN);
      frame.branches = machine.branches(branching);
      frame.branch = -1;
      machine.save(frame.snapshot);
      return true;
    }
    const enabled = machine.enabled();
    const own = last >= 0 ? bitOf(last, RUN) : 0;
    frame.canContinue = this.#bounded && (enabled & own) !== 0;
    frame.todo = preemptions === 0 && frame.canContinue ? own : enabled & ~sleep;
    if (!this.#isNew(frame)) {
      if (enabled === 0) tally.executions += machine.hasEnded() ? 1 : 0;
      tally.merged += 1;
      return false;
    }
    if (enabled === 0) {
      tally.end(machine);
      return false;
    }
    if (frame.todo === 0) tally.merged += 1;
    else machine.save(frame.snapshot);
    return frame.todo !== 0;
  }

  /** Returns whether the frame has transitions that were not explored when the search met the state before. */
  #isNew(frame: Frame): boolean {
    const { tally } = this;
    if (!this.#caching) {
      tally.states += 1;
      return true;
    }
    const cache = this.#cache;
    this.#key.compute(this.machine, frame.canContinue ? frame.last : -1);
    const slot = cache.find(this.#key.a, this.#key.b);
    tally.states = cache.size;
    const stored = cache.value(slot);
    if (cache.fresh) {
      cache.setValue(slot, this.#bounded ? frame.preemptions : frame.sleep);
      return true;
    }
    if (this.#bounded) {
      if (stored >= frame.preemptions) return false;
      cache.setValue(slot, frame.preemptions);
      return true;
    }
    frame.todo &= stored;
    frame.sleep &= stored;
    cache.setValue(slot, frame.sleep);
    return frame.todo !== 0;
  }

  /**
   * Returns the transitions that stay covered elsewhere after the frame's transition. Marks that transition as explored
   * here.
   */
  #sleepAfter(frame: Frame): number {
    if (!this.#sleeping) return 0;
    if (frame.branches > 0) return frame.sleep;
    const { machine } = this;
    const own = frame.transition & ~3;
    let left = frame.sleep & ~(0xf << own);
    frame.sleep |= 1 << frame.transition;
    if (left === 0) return 0;
    let kept = 0;
    fillFootprint(this.#mine, machine, frame.transition);
    while (left !== 0) {
      const other = 31 - Math.clz32(left);
      left &= ~(1 << other);
      fillFootprint(this.#other, machine, other);
      if (commute(this.#mine, this.#other)) kept |= 1 << other;
    }
    return kept;
  }

  #frame(depth: number): Frame {
    return (this.#frames[depth] ??= new Frame());
  }
}
