// The search for an order of the operations in which each does what it says.
//
// Wing and Gong's search (Testing and verifying concurrent objects, JPDC 1993) with Lowe's two improvements (Testing
// for linearizability, CCPE 2017): an operation is placed just before the next response that there is (just in time),
// and a configuration, that is which operations are placed and what the state is, is gone on from once only. That
// values are unique (Gibbons and Korach, Testing shared memories, SIAM J. Comput. 1997: then a history of a queue tells
// which push goes with which pop) saves most choices:
//
//   1. What only looks is placed as soon as the state is as it says: it changes nothing.
//   2. A pop is placed as soon as its values are at the front: no other pop can take them, and a queue with less in it
//      refuses nothing but looks at a full queue; pops that overlap one of those (isWatched) are choices like any
//      other.
//   3. Pushes are placed as late as can be, and in no order that their pops contradict: what came out together lay
//      together. What came out first is tried first.
//   4. Where nothing is going on and the order of what is inside is known, there was no other way to come there: what
//      was put off is dropped.

import { isOrdered, hasToBeIn, type Plan } from './plan.ts';
import type { Life, Step } from './steps.ts';

interface Config {
  /** Of `responses`. */
  readonly next: number;
  /** Placed before their responses. */
  readonly early: readonly number[];
  readonly queue: readonly Life[];
  readonly units: number;
  readonly closed: boolean;
  /** Pushes placed. */
  readonly pushed: number;
}

/** An operation to be placed, with so many of its values. */
interface Choice {
  readonly from: Config;
  readonly step: Step;
  readonly count: number;
}

export interface Found {
  readonly found: boolean | undefined;
  readonly configurations: number;
  /** Nothing got farther than to this one's response. */
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

  /** Whether all are placed; else puts off what there is to choose. */
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

  /** Does what needs no choice. */
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

  /** Going on, and not placed yet. */
  #waiting({ next, early }: Config): readonly Step[] {
    return (this.#plan.open[next] ?? []).filter(
      ({ index }) => !early.includes(index) && this.#hasItsTurn(index, next, early),
    );
  }

  /** Whether the one that stood in line before it has been placed. */
  #hasItsTurn(index: number, next: number, early: readonly number[]): boolean {
    const before = this.#plan.before.get(index);
    return (
      before === undefined || early.includes(before.index) || (this.#plan.responseOf.get(before.index) ?? 0) < next
    );
  }

  /** What may be placed now, the best last. */
  #choices(config: Config): Choice[] {
    const waiting = this.#waiting(config);
    const choices = waiting.flatMap((step) =>
      this.#counts(step, config).map((count) => ({ from: config, step, count, rank: this.#rank(step, count) })),
    );
    return choices
      .filter(({ step }) => step.operation.kind !== 'push' || !this.#isInnerLine(step, waiting))
      .toSorted((a, b) => b.rank - a.rank);
  }

  /** With how many of its values it may be placed. */
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

  /** Whether it can do what it says, in that state. */
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

  /** Whether one that waits, too, has to go in first, since it came out first. */
  #isInnerLine(step: Step, waiting: readonly Step[]): boolean {
    const { leftFrom } = this.#life(step.values[0]);
    return waiting.some((other) => other !== step && hasToBeIn(other) && this.#life(other.values[0]).leftBy < leftFrom);
  }

  /** Pushes that come out early are the first to try, then what is only good for those that died. */
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

/** Placing it later would help no other operation. */
function isPlain({ operation: { kind }, isLook, isPending, isWatched }: Step, { closed }: Config): boolean {
  if (isPending) return false;
  return isLook || (kind === 'pop' && !isWatched) || (kind === 'close' && closed);
}

/** What came out together lay together. */
function isNext({ follows }: Life, last: Life | undefined): boolean {
  return follows === undefined ? last?.followedBy === undefined : last?.value === follows;
}

function unitsIn(lives: readonly Life[]): number {
  return lives.reduce((sum, { units }) => sum + units, 0);
}
