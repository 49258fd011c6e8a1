// The order in which the search proceeds: from one response to the next.

import { stepsOf, type History, type Life, type Step } from './steps.ts';

export interface Plan {
  readonly history: History;
  /** All steps except pending ones, ordered by their ends. */
  readonly responses: readonly Step[];
  /** For each response: the steps in progress at that time, including the step of the response. */
  readonly open: readonly (readonly Step[])[];
  /**
   * For each response: whether no step was in progress just before the steps of `open` began. The contents of the queue
   * at that time are known, but not their order.
   */
  readonly quiet: readonly boolean[];
  /** By the index of a step: the step of the same side that was just before it in line. */
  readonly before: ReadonlyMap<number, Step>;
  /** By the index of a step: the index of its response. */
  readonly responseOf: ReadonlyMap<number, number>;
  /** The number of pushes that must be placed before the close. */
  readonly pushes: number;
}

export function planOf(history: History): Plan {
  const steps = stepsOf(history);
  const responses = steps.filter(({ isPending }) => !isPending).toSorted((a, b) => a.ended - b.ended);
  const open: Step[][] = [];
  const quiet: boolean[] = [];
  let [begun, before, going] = [0, -Infinity, [] as Step[]];
  for (const { ended } of responses) {
    going = going.filter((step) => step.ended >= ended);
    for (let step = steps[begun]; step !== undefined && step.began < ended; step = steps[(begun += 1)]) {
      if (step.ended >= ended) going.push(step);
    }
    open.push(going);
    quiet.push(going.every(({ began }) => began > before));
    before = ended;
  }
  const responseOf = new Map(responses.map(({ index }, response) => [index, response]));
  return {
    history,
    responses,
    open,
    quiet,
    before: lineOrder(steps),
    responseOf,
    pushes: steps.filter(hasToBeIn).length,
  };
}

/** Maps each completed step that waited in line to the step before it. */
function lineOrder(steps: readonly Step[]): Map<number, Step> {
  const before = new Map<number, Step>();
  for (const kind of ['push', 'pop']) {
    const inLine = steps.filter(
      ({ operation }) => operation.kind === kind && operation.outcome === 'done' && operation.place !== undefined,
    );
    inLine.sort((a, b) => (a.operation.place ?? 0) - (b.operation.place ?? 0));
    for (const [at, step] of inLine.entries()) {
      const last = inLine[at - 1];
      if (last !== undefined) before.set(step.index, last);
    }
  }
  return before;
}

export function hasToBeIn({ operation: { kind, outcome }, needed }: Step): boolean {
  return kind === 'push' && (outcome === 'done' || (outcome === 'pending' && needed > 0));
}

/** Returns whether `a` had to be in the queue before `b`. */
export function isOrdered(a: Life, b: Life): boolean {
  return a.push === b.push || a.push.ended < b.push.began || a.leftBy < b.leftFrom || a.leftBy < b.push.began;
}
