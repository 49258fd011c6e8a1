import { beforeAll, describe, expect, test } from 'vitest';
import { ask, EATS, finish, neighbours, THINKS } from '../src/rule.mjs';
import { MAX_IN_WORD, pack, unpack } from '../src/tables/packed-statuses.mjs';

/** A table as a plain list of the philosophers that wait or eat, in the order in which they asked. */
interface State {
  readonly line: readonly number[];
  readonly statuses: readonly number[];
}

interface Step extends State {
  readonly philosopher: number;
  readonly kind: 'ask' | 'finish';
  /** The admitted philosophers, according to the functions and according to the list. */
  readonly letIn: readonly number[];
  readonly shouldBeLetIn: readonly number[];
  readonly after: State;
}

/** In the list, a philosopher eats if and only if no neighbour is before it. */
function eaters(line: readonly number[], philosophers: number): number[] {
  return line.filter((philosopher, place) => {
    return !neighbours(philosophers, philosopher).some((neighbour) => line.slice(0, place).includes(neighbour));
  });
}

function stepFrom({ line, statuses }: State, philosopher: number, kind: Step['kind']): Step {
  const after = [...statuses];
  const asks = kind === 'ask';
  const letIn = asks ? [philosopher].filter(() => ask(after, philosopher)) : finish(after, philosopher);
  const lineAfter = asks ? [...line, philosopher] : line.filter((other) => other !== philosopher);
  const before = eaters(line, statuses.length);
  const shouldBeLetIn = eaters(lineAfter, statuses.length).filter((eater) => !before.includes(eater));
  return { line, statuses, philosopher, kind, letIn, shouldBeLetIn, after: { line: lineAfter, statuses: after } };
}

/** Every step from every reachable state. States with the same list but different statuses count as two. */
function explore(philosophers: number): { states: State[]; steps: Step[] } {
  const everyone = [...Array(philosophers).keys()];
  const start: State = { line: [], statuses: everyone.map(() => THINKS) };
  const states = [start];
  const steps: Step[] = [];
  const keyOf = ({ line, statuses }: State) => `${line.join()} ${statuses.join()}`;
  const seen = new Set([keyOf(start)]);
  for (const state of states) {
    const eating = eaters(state.line, philosophers);
    const asking = everyone.filter((philosopher) => !state.line.includes(philosopher));
    const next = [
      ...asking.map((philosopher) => stepFrom(state, philosopher, 'ask')),
      ...eating.map((philosopher) => stepFrom(state, philosopher, 'finish')),
    ];
    for (const step of next) {
      steps.push(step);
      const key = keyOf(step.after);
      if (!seen.has(key)) states.push(step.after);
      seen.add(key);
    }
  }
  return { states, steps };
}

/**
 * Returns the philosophers before one by the statuses: its neighbours with a lower status, their neighbours with a
 * lower one, and so on.
 */
function ahead(statuses: readonly number[], philosopher: number, found = new Set<number>()): Set<number> {
  const own = statuses[philosopher] ?? 0;
  for (const neighbour of neighbours(statuses.length, philosopher)) {
    const status = statuses[neighbour] ?? 0;
    if (status === THINKS || status >= own || found.has(neighbour)) continue;
    found.add(neighbour);
    ahead(statuses, neighbour, found);
  }
  return found;
}

/** The violations, each as a text. One assertion for all states is a thousand times as fast as one per state. */
function problems<T>(all: readonly T[], isRight: (one: T) => boolean): T[] {
  return all.filter((one) => !isRight(one)).slice(0, 3);
}

const waits = (status: number): boolean => status > EATS;

// The number of orders in which k of n asked, for all k: for 5 philosophers 1 + 5 + 20 + 60 + 120 + 120.
const STATES: Record<number, number> = { 2: 5, 3: 16, 4: 65, 5: 326, 6: 1957, 7: 13_700 };

describe.each([2, 3, 4, 5, 6, 7])('a table of %i, in every reachable state', (philosophers) => {
  let states: State[] = [];
  let steps: Step[] = [];
  beforeAll(() => {
    ({ states, steps } = explore(philosophers));
  });

  test('every state is visited, and equal lists have equal statuses', () => {
    expect(states).toHaveLength(STATES[philosophers] ?? 0);
  });

  test('no two neighbours eat', () => {
    const alone = ({ statuses }: State) =>
      statuses.every((status, index) => {
        return status !== EATS || neighbours(philosophers, index).every((other) => statuses[other] !== EATS);
      });
    expect(problems(states, alone)).toEqual([]);
  });

  test('no status is higher than the number of philosophers, and one status reaches it', () => {
    const highest = states.map(({ statuses }) => Math.max(...statuses));
    expect(highest.reduce((most, status) => Math.max(most, status))).toBe(philosophers);
  });

  test('exactly the philosophers before all of their neighbours eat, and all others in the list wait', () => {
    const right = ({ line, statuses }: State) => {
      const eating = eaters(line, philosophers);
      return statuses.every((status, index) => {
        return eating.includes(index) ? status === EATS : line.includes(index) ? waits(status) : status === THINKS;
      });
    };
    expect(problems(states, right)).toEqual([]);
  });

  test('a status above one is one more than the highest of the earlier neighbours', () => {
    const tight = ({ line, statuses }: State) =>
      line.every((philosopher, place) => {
        const first = neighbours(philosophers, philosopher).filter((other) => line.slice(0, place).includes(other));
        return statuses[philosopher] === 1 + Math.max(0, ...first.map((other) => statuses[other] ?? 0));
      });
    expect(problems(states, tight)).toEqual([]);
  });

  test('each philosopher that may eat is admitted once, and no other is admitted', () => {
    const right = ({ letIn, shouldBeLetIn }: Step) =>
      letIn.length === shouldBeLetIn.length && shouldBeLetIn.every((one) => letIn.includes(one));
    expect(problems(steps, right)).toEqual([]);
  });

  test('no philosopher waits forever: one before it eats, and no later one gets before it', () => {
    const somebodyAheadEats = ({ statuses }: State) =>
      statuses.every(
        (status, index) => !waits(status) || [...ahead(statuses, index)].some((one) => statuses[one] === EATS),
      );
    expect(problems(states, somebodyAheadEats)).toEqual([]);

    const nobodyGetsAhead = ({ statuses, after, kind, philosopher }: Step) =>
      statuses.every((status, index) => {
        if (!waits(status)) return true;
        const before = ahead(statuses, index);
        if (kind === 'finish') before.delete(philosopher);
        return [...ahead(after.statuses, index)].every((one) => before.has(one));
      });
    expect(problems(steps, nobodyGetsAhead)).toEqual([]);
  });
});

describe('mistaken calls', () => {
  test.each([
    ['asks while it eats', (statuses: number[]) => ask(statuses, 0), 'Philosopher 0 must have status 0: it is 1'],
    ['asks while it waits', (statuses: number[]) => ask(statuses, 1), 'Philosopher 1 must have status 0: it is 2'],
    [
      'finishes while it waits',
      (statuses: number[]) => finish(statuses, 1),
      'Philosopher 1 must have status 1: it is 2',
    ],
    [
      'finishes while it thinks',
      (statuses: number[]) => finish(statuses, 2),
      'Philosopher 2 must have status 1: it is 0',
    ],
    [
      'is not at the table',
      (statuses: number[]) => ask(statuses, 4),
      'Philosopher 4 must have status 0: it is undefined',
    ],
  ])('a philosopher that %s gets an error, and nothing changes', (_, call, message) => {
    const statuses = [1, 2, 0, 0];
    expect(() => call(statuses)).toThrow(message);
    expect(statuses).toEqual([1, 2, 0, 0]);
  });
});

describe('statuses packed into one word', () => {
  test('the word has room for eight, whose highest status fits into four bits', () => {
    expect(MAX_IN_WORD).toBe(8);
    expect(MAX_IN_WORD).toBeLessThan(2 ** 4);
  });

  test('packing and unpacking keeps the statuses of eight philosophers that asked one after the other', () => {
    const statuses = Array.from({ length: 8 }, () => THINKS);
    for (let philosopher = 0; philosopher < 8; philosopher++) ask(statuses, philosopher);
    expect(statuses).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);

    const word = pack(statuses);
    const unpacked = Array.from({ length: 8 }, () => -1);
    unpack(word, unpacked);

    expect(Int32Array.of(word)[0]).toBe(word);
    expect(word).toBe(0x8765_4321 | 0);
    expect(unpacked).toEqual(statuses);
  });

  test.each([2, 5, 7])('every state of a table of %i has a different word', (philosophers) => {
    const all = new Map(explore(philosophers).states.map(({ statuses }) => [statuses.join(), statuses]));
    const unpacked = [...all.values()].map((statuses) => {
      const out = statuses.map(() => -1);
      unpack(pack(statuses), out);
      return out.join();
    });
    expect(unpacked).toEqual([...all.keys()]);
  });
});
