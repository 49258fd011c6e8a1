import { expect, test } from 'vitest';
import { checkHistory } from '../src/index.ts';
import { Random } from '../../harness/src/random.mjs';
import { bruteForce } from './brute-force.ts';
import { changed, randomHistory, randomSpec } from './random-history.ts';

const SEED = 20_170;
const HISTORIES = 10_000;

test('check() agrees with a trial of every order for thousands of small histories', () => {
  const random = new Random(SEED);
  const count = { right: 0, wrong: 0, byRules: 0, pending: 0, refusals: 0 };
  for (let round = 0; round < HISTORIES; round++) {
    const spec = randomSpec(random);
    let history = randomHistory(random, spec, random.between(4, 8));
    for (let changes = random.between(1, 5); changes > 0; changes--) history = changed(random, history);
    const expected = bruteForce(history, spec);
    const verdict = checkHistory(history, spec);
    const alone = checkHistory(history, spec, { rules: false });
    const answers = [verdict.linearizable, alone.linearizable];
    expect(answers, `round ${round}: ${JSON.stringify(history)}`).toEqual([expected, expected]);
    count[expected ? 'right' : 'wrong'] += 1;
    if (!expected && verdict.configurations === 0) count.byRules += 1;
    if (history.some(({ outcome }) => outcome === 'pending')) count.pending += 1;
    count.refusals += verdict.refusals.checked;
  }
  console.log(`seed ${SEED}: ${HISTORIES} histories`, count);
  // Neither answer may be rare.
  expect(count.right).toBeGreaterThan(HISTORIES / 5);
  expect(count.wrong).toBeGreaterThan(HISTORIES / 5);
  expect(count.wrong - count.byRules).toBeGreaterThan(50);
});
