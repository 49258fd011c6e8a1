// Tests the steps of a strict limit at exact times: no time of an interval's length has more starts than it allows.

import { expect, test } from 'vitest';
import { emptyState, runStep, shapeOf, type State } from '../src/steps.ts';

const INTERVAL = 300;

class Steps {
  readonly #state: State = emptyState();
  readonly messages: string[] = [];
  #seq = 0;

  constructor() {
    this.run(0, 'attach', '1000000', 'label', '1');
  }

  run(ms: number, operation: string, ...args: (string | number)[]): string[] {
    const shaped = shapeOf([operation, 'session', 1, ...args]);
    if (typeof shaped === 'string') throw new Error(shaped);
    return runStep(
      this.#state,
      (_session, text) => this.messages.push(text),
      (1_000_000 + ms) * 1000,
      'process',
      shaped,
    );
  }

  /** Tries to start a call of a limit. Returns whether it starts. */
  starts(ms: number, rest: string): boolean {
    const seq = ++this.#seq;
    const [answer = ''] = this.run(ms, 'acquire', 'l:it', seq, 1, 0, 9, rest);
    if (answer === 'granted') this.run(ms, 'release', 'l:it', seq, 0);
    return answer === 'granted';
  }
}

const startsOf = (times: readonly number[], rest: string): number[] => {
  const steps = new Steps();
  return times.filter((ms) => steps.starts(ms, rest));
};

const TIMES = [0, 250, 260, 299, 300, 301, 540, 549, 550, 551, 600, 849, 850, 900];

test('a strict limit allows so many starts in any time of the length of its interval', () => {
  const starts = startsOf(TIMES, `0 ${INTERVAL} -2 0`);
  expect(starts).toEqual([0, 250, 300, 550, 600, 850, 900]);
  for (const [i, at] of starts.entries()) expect((starts[i + 2] ?? Infinity) - at).toBeGreaterThanOrEqual(INTERVAL);
});

test('a limit that is not strict allows them in each of the successive intervals', () => {
  expect(startsOf(TIMES, `0 ${INTERVAL} 2 0`)).toEqual([0, 250, 300, 301, 600, 849, 900]);
});

test('a call that has to wait learns when the oldest start is an interval old, and starts then', () => {
  const steps = new Steps();
  const rest = `0 ${INTERVAL} -2 0`;
  expect(steps.starts(10, rest)).toBe(true);
  expect(steps.starts(100, rest)).toBe(true);
  expect(steps.run(120, 'acquire', 'l:it', 50, 1, 1, 9, rest)).toEqual(['waiting', String(10 + INTERVAL - 120)]);
  expect(steps.run(120, 'acquire', 'l:it', 51, 1, 1, 9, rest)).toEqual(['waiting', '0']);
  expect(steps.run(309, 'poke', 'l:it')).toEqual(['poked']);
  const [poked, seq] = steps.run(310, 'poke', 'l:it');
  expect([poked, seq]).toEqual(['poked', '50']);
  expect(steps.messages.at(-1)).toBe(`p 51 ${100 + INTERVAL - 310}`);
  expect(steps.run(399, 'poke', 'l:it')).toEqual(['poked']);
  expect(steps.run(400, 'poke', 'l:it')[1]).toBe('51');
});

test('a start whose reply was lost and that is sent again counts once', () => {
  const steps = new Steps();
  const rest = `0 ${INTERVAL} -2 0`;
  const first = steps.run(0, 'acquire', 'l:it', 70, 1, 0, 9, rest);
  expect(steps.run(5, 'acquire', 'l:it', 70, 1, 0, 9, rest)).toEqual(first);
  expect([6, 7].map((ms) => steps.starts(ms, rest))).toEqual([true, false]);
});
