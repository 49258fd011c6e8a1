import { describe, expect, test } from 'vitest';
import { checkLog } from '../src/check-log.mjs';
import { COMES, EATS, encode, LEAVES, WAITS } from '../src/log.mjs';

const EVENTS: Record<string, number> = { comes: COMES, waits: WAITS, eats: EATS, leaves: LEAVES };

/** Returns `'0 comes, 0 eats'` as entries. */
function entries(text: string): number[] {
  return text.split(', ').map((entry) => {
    const [philosopher, event = ''] = entry.split(' ');
    return encode(EVENTS[event] ?? 0, Number(philosopher));
  });
}

const check = (text: string, philosophers = 4, meals?: number) => checkLog(entries(text), { philosophers, meals });

describe('a log that keeps the rule', () => {
  test('is accepted, and its meals and waits are counted', () => {
    const log =
      '0 comes, 0 eats, 2 comes, 2 eats, 1 comes, 1 waits, 0 leaves, 2 leaves, 1 eats, 1 leaves, 3 comes, 3 eats, 3 leaves';
    const found = check(log, 4, 1);
    expect(found).toEqual({ faults: [], events: 13, meals: [1, 1, 1, 1], waits: [0, 1, 0, 0], mostPassed: 0 });
  });

  test('is accepted if a neighbour that had arrived first eats once more', () => {
    // 2 was at the box office before 1, which shows only in the order of their meals.
    const found = check('0 comes, 0 eats, 2 comes, 1 comes, 1 waits, 2 eats, 2 leaves, 0 leaves, 1 eats, 1 leaves');
    expect(found.faults).toEqual([]);
    expect(found.mostPassed).toBe(1);
  });

  test('is accepted if a philosopher arrives again behind a waiting neighbour', () => {
    const log = '0 comes, 0 eats, 1 comes, 1 waits, 0 leaves, 0 comes, 0 waits, 1 eats, 1 leaves, 0 eats, 0 leaves';
    expect(check(log, 2).faults).toEqual([]);
  });

  test('may be empty if no philosopher had to eat', () => {
    expect(checkLog([], { philosophers: 2 }).faults).toEqual([]);
  });
});

describe('a log that breaks the rule', () => {
  test.each([
    [
      'neighbours ate together',
      '0 comes, 0 eats, 1 comes, 1 eats, 0 leaves, 1 leaves',
      4,
      'philosophers 0 and 1 ate together',
    ],
    [
      'the philosophers at both ends ate together',
      '0 comes, 0 eats, 3 comes, 3 eats, 0 leaves, 3 leaves',
      4,
      'philosophers 0 and 3 ate together',
    ],
    [
      'both of two philosophers ate together',
      '1 comes, 1 eats, 0 comes, 0 eats, 0 leaves, 1 leaves',
      2,
      'philosophers 1 and 0 ate together',
    ],
    [
      'a philosopher that arrived later ate first',
      '0 comes, 0 eats, 1 comes, 1 waits, 2 comes, 2 eats, 2 leaves, 0 leaves, 1 eats, 1 leaves',
      4,
      'event 6: philosopher 2 ate before 1, which had waited when it came',
    ],
    [
      'a philosopher ate twice while a neighbour waited',
      '0 comes, 0 eats, 1 comes, 1 waits, 0 leaves, 0 comes, 0 eats, 0 leaves, 1 eats, 1 leaves',
      2,
      'event 7: philosopher 0 ate before 1, which had waited when it came',
    ],
    [
      'a philosopher eats without having arrived',
      '0 eats, 0 leaves',
      4,
      'event 1: philosopher 0 ate, but last it had left',
    ],
    [
      'a philosopher waits without having arrived',
      '0 waits, 0 eats, 0 leaves',
      4,
      'event 1: philosopher 0 waited, but last it had left',
    ],
    [
      'a philosopher arrives twice',
      '0 comes, 0 comes, 0 eats, 0 leaves',
      4,
      'event 2: philosopher 0 came, but last it came',
    ],
    [
      'a philosopher leaves without having eaten',
      '0 comes, 0 leaves',
      4,
      'event 2: philosopher 0 had left, but last it came',
    ],
    ['a philosopher still waits', '0 comes, 0 waits', 4, 'at the end philosopher 0 waited, and never left'],
    ['a philosopher still eats', '0 comes, 0 eats', 4, 'at the end philosopher 0 ate, and never left'],
    ['a philosopher arrives that is not at the table', '4 comes, 4 eats, 4 leaves', 4, 'event 1: 33 is not an entry'],
    ['an entry was lost', '0 comes, 0 nothing, 0 eats, 0 leaves', 4, 'event 2: 0 is not an entry'],
  ])('is rejected: %s', (_, log, philosophers, fault) => {
    const { faults } = check(log, philosophers);
    expect(faults.join('\n')).toContain(fault);
  });

  test('two meals of the same neighbour during one wait are counted', () => {
    const wait = '1 comes, 1 eats, 0 comes, 0 waits, 1 leaves';
    const again = '1 comes, 1 eats, 1 leaves';
    expect(check(`${wait}, ${again}, 0 eats, 0 leaves`, 2).mostPassed).toBe(1);
    expect(check(`${wait}, ${again}, ${again}, 0 eats, 0 leaves`, 2).mostPassed).toBe(2);
  });

  test('meals during two waits are counted for each wait', () => {
    const wait = '1 comes, 1 eats, 0 comes, 0 waits, 1 leaves, 1 comes, 1 eats, 1 leaves, 0 eats, 0 leaves';
    expect(check(`${wait}, ${wait}`, 2).mostPassed).toBe(1);
  });

  test('a philosopher that ate less than the others is reported', () => {
    const { faults } = check('0 comes, 0 eats, 0 leaves, 1 comes, 1 eats, 1 leaves, 0 comes, 0 eats, 0 leaves', 2, 2);
    expect(faults).toEqual(['event 9: philosopher 1 ate 1 of 2 meals']);
  });

  test('the first twenty of many faults are reported', () => {
    const { faults } = checkLog(Array<number>(1000).fill(0), { philosophers: 2 });
    expect(faults).toHaveLength(20);
  });
});
