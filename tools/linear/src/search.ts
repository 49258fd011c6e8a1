// The search for an order of the operations that explains the outcome of each.
//
// It is Wing and Gong's search (Testing and verifying concurrent objects, JPDC 1993) with Lowe's two improvements
// (Testing for linearizability, CCPE 2017). First, it places an operation just before the next response (just in time).
// Second, it continues from each configuration only once; a configuration is the set of placed operations and the
// state. Values are unique, so a history tells which push belongs to which pop (Gibbons and Korach, Testing shared
// memories, SIAM J. Comput. 1997). That removes most choices:
//
//   1. An operation that only looks is placed as soon as the state matches its outcome. It changes nothing.
//   2. A pop is placed as soon as its values are at the front. No other pop can take them, and the removal can
//      contradict only a look at a full queue. A pop that overlaps such a look (`isWatched`) is a choice like any
//      other.
//   3. A push is placed as late as possible, and in no order that the pops contradict: values that came out together
//      lay together. The push whose values came out first is tried first.
//   4. If no operation is in progress and the order of the contents is known, every other path leads to the same
//      configuration. The search then drops its deferred choices.

import { isOrdered, hasToBeIn, type Plan } from './plan.ts';
import type { Life, Step } from './steps.ts';

interface Config {
  /** The index of the next response in `responses`. */
  readonly next: number;
  /** Steps that were placed before their responses. */
  readonly early: readonly number[];
  readonly queue: readonly Life[];
  readonly units: number;
  readonly closed: boolean;
  /** The number of pushes placed. */
  readonly pushed: number;
}

/** An operation that may be placed, with the number of its values that take effect. */
interface Choice {
  readonly from: Config;
  readonly step: Step;
  readonly count: number;
}

export interface Found {
  readonly found: boolean | undefined;
  readonly configurations: number;
  /** The step of the last response that the search reached. */
  readonly stuckAt: Step | undefined;
}

export function search(plan: Plan, most: number): Found {
  return new Search(plan, most).run();
}

class Search {
  readonly #plan: Plan;
  readonly #most: number;
  readonly #lives: ReadonlyMap<number, Life>;
  readonly #putOff: Choice[] = [];
  readonly #seen = new Set<string>();
  #configurations = 0;
  #farthest = 0;

  constructor(plan: Plan, most: number) {
    this.#plan = plan;
    this.#most = most;
    this.#lives = plan.history.lives;
  }

  run(): Found {
    const start: Config = { next: 0, early: [], queue: [], units: 0, closed: false, pushed: 0 };
    let found = this.#goOn(start);
    while (!found && this.#configurations <= this.#most) {
      const choice = this.#putOff.pop();
      if (choice === undefined) return this.#result(false);
      found = this.#goOn(this.#place(choice));
    }
    return this.#result(found ? true : undefined);
  }

  #result(found: boolean | undefined): Found {
    return { found, configurations: this.#configurations, stuckAt: this.#plan.responses[this.#farthest] };
  }

  /**
   * Continues from a configuration. Returns true if all operations are placed. Otherwise defers the remaining choices.
   */
  #goOn(from: Config): boolean {
    const config = this.#settle(from);
    const { next, early, queue, closed } = config;
    this.#farthest = Math.max(this.#farthest, next);
    if (next === this.#plan.responses.length) return true;
    const key = `${next};${early.join()};${queue.map(({ value }) => value).join()};${closed}`;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    this.#configurations += 1;
    this.#putOff.push(...this.#choices(config));
    return false;
  }

  /** Places the operations that need no choice. */
  #settle(from: Config): Config {
    let config = from;
    for (;;) {
      const response = this.#plan.responses[config.next];
      if (response === undefined) return config;
      const step = this.#waiting(config).find((open) => (isPlain(open, config) ? this.#fits(open, config) : false));
      if (step !== undefined) config = this.#place({ from: config, step, count: step.values.length });
      else if (config.early.includes(response.index)) config = this.#answer(config, response);
      else return config;
    }
  }

  #answer(config: Config, { index }: Step): Config {
    const answered = { ...config, next: config.next + 1, early: config.early.filter((other) => other !== index) };
    const isCut = this.#plan.quiet[answered.next] === true && answered.early.length === 0;
    if (isCut && config.queue.every((life, at) => at === 0 || isOrdered(config.queue[at - 1] ?? life, life))) {
      this.#putOff.length = 0;
      this.#seen.clear();
    }
    return answered;
  }

  /** Returns the steps that are in progress and not placed yet. */
  #waiting({ next, early }: Config): readonly Step[] {
    return (this.#plan.open[next] ?? []).filter(
      ({ index }) => !early.includes(index) && this.#hasItsTurn(index, next, early),
    );
  }

  /** Returns whether the step before it in line has been placed. */
  #hasItsTurn(index: number, next: number, early: readonly number[]): boolean {
    const before = this.#plan.before.get(index);
    return (
      before === undefined || early.includes(before.index) || (this.#plan.responseOf.get(before.index) ?? 0) < next
    );
  }

  /** Returns the choices for the next placement, the best last. */
  #choices(config: Config): Choice[] {
    const waiting = this.#waiting(config);
    const choices = waiting.flatMap((step) =>
      this.#counts(step, config).map((count) => ({ from: config, step, count, rank: this.#rank(step, count) })),
    );
    return choices
      .filter(({ step }) => step.operation.kind !== 'push' || !this.#isInnerLine(step, waiting))
      .toSorted((a, b) => b.rank - a.rank);
  }

  /** Returns the numbers of its values with which the step may be placed. */
  #counts(step: Step, config: Config): number[] {
    const { isPending, isLook, needed, values, operation } = step;
    if (isLook) return [];
    if (!isPending || operation.kind === 'close') return this.#fits(step, config) ? [values.length] : [];
    if (operation.kind === 'push') {
      const all = values.map((_, index) => index + 1).filter((count) => count >= needed);
      return all.filter((count) => this.#fits(step, config, count));
    }
    const known = config.queue.findIndex(({ pop }) => pop !== undefined);
    const lost = Math.min(known === -1 ? config.queue.length : known, operation.most ?? 1);
    return Array.from({ length: lost }, (_, index) => index + 1);
  }

  /** Returns whether the state of `config` allows the outcome of the step. */
  #fits({ operation: { kind, outcome }, values }: Step, config: Config, count = values.length): boolean {
    const { queue, closed, pushed } = config;
    const { room, unitsOf } = this.#plan.history;
    if (kind === 'close') return closed || pushed === this.#plan.pushes;
    if (outcome === 'closed') return closed && (kind === 'push' || queue.length === 0);
    if (outcome === 'refused') {
      return !closed && (kind === 'pop' ? queue.length === 0 : config.units + unitsOf(values[0] ?? 0) > room);
    }
    if (kind === 'pop') return values.length <= queue.length && values.every((value, at) => queue[at]?.value === value);
    if (closed) return false;
    const lives = values.slice(0, count).map((value) => this.#life(value));
    if (config.units + unitsIn(lives) > room) return false;
    const fitsBehind = lives.every((life, at) => isNext(life, at === 0 ? queue.at(-1) : lives[at - 1]));
    return fitsBehind && lives.every(({ leftBy }) => queue.every(({ leftFrom }) => leftFrom <= leftBy));
  }

  /** Returns whether another waiting push must go in first because its values came out first. */
  #isInnerLine(step: Step, waiting: readonly Step[]): boolean {
    const { leftFrom } = this.#life(step.values[0]);
    return waiting.some((other) => other !== step && hasToBeIn(other) && this.#life(other.values[0]).leftBy < leftFrom);
  }

  /** Ranks a choice: pushes whose values come out early first, then choices that only a killed thread's call needs. */
  #rank({ operation: { kind }, values, isPending, needed }: Step, count: number): number {
    if (isPending)
      return kind === 'push' && needed > 0 ? this.#life(values[0]).leftFrom + count - needed : Number.MAX_VALUE;
    return kind === 'push' ? this.#life(values[0]).leftFrom : 0;
  }

  #place({ from, step, count }: Choice): Config {
    const config = { ...from, early: [...from.early, step.index].sort((a, b) => a - b) };
    const { kind } = step.operation;
    if (step.isLook) return config;
    if (kind === 'close') return { ...config, closed: true };
    if (kind === 'pop') {
      const out = step.isPending ? count : step.values.length;
      return { ...config, queue: from.queue.slice(out), units: from.units - unitsIn(from.queue.slice(0, out)) };
    }
    const lives = step.values.slice(0, count).map((value) => this.#life(value));
    const pushed = from.pushed + Number(hasToBeIn(step));
    return { ...config, queue: [...from.queue, ...lives], units: from.units + unitsIn(lives), pushed };
  }

  #life(value: number | undefined): Life {
    return this.#lives.get(value ?? Number.NaN) as Life;
  }
}

/** Returns whether a later placement could help no other operation. */
function isPlain({ operation: { kind }, isLook, isPending, isWatched }: Step, { closed }: Config): boolean {
  if (isPending) return false;
  return isLook || (kind === 'pop' && !isWatched) || (kind === 'close' && closed);
}

/** Returns whether the value may lie behind `last`: values that came out together lay together. */
function isNext({ follows }: Life, last: Life | undefined): boolean {
  return follows === undefined ? last?.followedBy === undefined : last?.value === follows;
}

function unitsIn(lives: readonly Life[]): number {
  return lives.reduce((sum, { units }) => sum + units, 0);
}
