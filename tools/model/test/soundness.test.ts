// Tests that the reductions omit no ending: random programs have the same endings with and without them.

import { expect, test } from 'vitest';
import { endingsOf, type Endings } from './random-program.ts';
import { explore, type Context, type Options } from '../src/index.ts';

const NONE = { cache: false, sleepSets: false, privateWords: false, recall: false };
const PROGRAMS = 250;

/** Programs with more schedules than this are skipped. They are few. */
const BRUTE_FORCE: Options = { reductions: NONE, maxExecutions: 10_000 };
const known = new Map<number, Endings>();

function byBruteForce(seed: number): Endings {
  const endings = known.get(seed) ?? endingsOf(seed, BRUTE_FORCE);
  known.set(seed, endings);
  return endings;
}

const sorted = (set: ReadonlySet<string>): string[] => [...set].sort();

function expectSameEndings(reductions: NonNullable<Options['reductions']>): void {
  let compared = 0;
  let [plain, reduced] = [0, 0];
  for (let seed = 0; seed < PROGRAMS; seed += 1) {
    const all = byBruteForce(seed);
    if (!all.result.exhausted) continue;
    const some = endingsOf(seed, { reductions });
    expect(sorted(some.endings), `program ${seed}`).toEqual(sorted(all.endings));
    expect(some.result.failure).toBeUndefined();
    compared += 1;
    plain += all.result.operations;
    reduced += some.result.operations;
  }
  console.log(
    `${compared} programs: ${plain.toLocaleString('en-US')} operations by brute force, ${reduced.toLocaleString('en-US')} reduced`,
  );
  expect(compared).toBeGreaterThan(0.9 * PROGRAMS);
}

test('the state cache alone changes no set of endings', () => {
  expectSameEndings({ ...NONE, cache: true });
});

test('sleep sets alone change no set of endings', () => {
  expectSameEndings({ ...NONE, sleepSets: true });
});

test('omitting scheduling points at private words changes no set of endings', () => {
  expectSameEndings({ ...NONE, privateWords: true });
});

test('an agent repeats its earlier operations exactly', () => {
  for (let seed = 0; seed < PROGRAMS; seed += 1) {
    const [ran, recalled] = [false, true].map((recall) => endingsOf(seed, { reductions: { recall } }));
    expect(sorted(recalled?.endings ?? new Set()), `program ${seed}`).toEqual(
      sorted(ran?.endings ?? new Set(['none'])),
    );
    expect({ ...recalled?.result, millis: 0 }, `program ${seed}`).toEqual({ ...ran?.result, millis: 0 });
  }
});

test('a word that is read without a scheduling point is read again', () => {
  const endings = (recall: boolean): string[] => {
    const seen = new Set<string>();
    const look = ({ words }: Context): number => words.load32(0) + words.get32(4);
    const change = ({ words }: Context): void => {
      words.load32(0);
      words.put32(4, 1);
    };
    const agents = [look, change].map((body, index) => ({ name: `agent ${index}`, body }));
    const final = (_: unknown, outcomes: readonly unknown[]): void => void seen.add(String(outcomes[0]));
    const { failure } = explore(
      { name: 'a look', bytes: 8, agents, final },
      { reductions: { recall, sleepSets: false, privateWords: false } },
    );
    expect(failure).toBeUndefined();
    return sorted(seen);
  };
  expect(endings(false)).toEqual(['0', '1']);
  expect(endings(true)).toEqual(['0', '1']);
});

test('all reductions together change no set of endings', () => {
  expectSameEndings({});
});

test('with a preemption bound the state cache changes no set of endings', () => {
  for (let seed = 0; seed < PROGRAMS; seed += 1) {
    for (const preemptions of [0, 1, 2]) {
      const plain = endingsOf(seed, { preemptions, reductions: { cache: false } });
      const cached = endingsOf(seed, { preemptions });
      expect(sorted(cached.endings), `program ${seed}, ${preemptions} preemptions`).toEqual(sorted(plain.endings));
    }
  }
});

test('a preemption bound that is never reached changes no set of endings', () => {
  for (let seed = 0; seed < PROGRAMS; seed += 1) {
    const bounded = endingsOf(seed, { preemptions: 100 });
    expect(sorted(bounded.endings), `program ${seed}`).toEqual(sorted(endingsOf(seed, {}).endings));
  }
});

test('random schedules end only in ways that the search finds, too', () => {
  for (let seed = 0; seed < PROGRAMS; seed += 1) {
    const { endings } = endingsOf(seed, {});
    const walked = endingsOf(seed, { random: { seed, executions: 20 } });
    for (const ending of walked.endings) expect(endings.has(ending), `program ${seed}: ${ending}`).toBe(true);
  }
});
