import { expect, test } from 'vitest';
import { tallied, tallyOf, type Parking, type Tally, type TallyName } from '../src/lib/tally.mjs';

type Outcome = 'ok' | 'not-equal' | 'timed-out';

/** A parking that does what it is told, and the tally over it. */
function tallyOver({ counting = () => true }: { counting?: () => boolean } = {}) {
  let time = 1;
  let wake = (): void => undefined;
  const answers = { wait: 'ok' as Outcome, notify: 1, async: true };
  const words = new Int32Array(Object.keys(tallied).length);
  const parking: Parking = {
    wait: () => {
      time += 5;
      return answers.wait;
    },
    waitAsync: () => (answers.async ? new Promise<void>((resolve) => (wake = resolve)) : undefined),
    notify: () => answers.notify,
    now: () => time,
  };
  const tally: Tally = tallyOf(parking, words, counting);
  const counted = (name: TallyName): number => words[tallied[name]] ?? NaN;
  return { parking, tally, answers, counted, wake: () => wake(), pass: (ms: number) => (time += ms) };
}

test('an acquire that sleeps once has one wake-up and no futile one', () => {
  const { parking, tally, counted } = tallyOver();
  for (let acquire = 0; acquire < 3; acquire++) {
    parking.wait(8, 0, Infinity);
    tally.admitted();
  }
  expect([counted('wakeUps'), counted('futile')]).toEqual([3, 0]);
});

test('each further sleep of an acquire makes the wake-up before it futile', () => {
  const { parking, tally, counted } = tallyOver();
  for (let sleep = 0; sleep < 3; sleep++) parking.wait(8, 0, Infinity);
  tally.admitted();
  parking.wait(8, 0, Infinity);
  expect([counted('wakeUps'), counted('futile')]).toEqual([4, 2]);
});

test('a wait that returns not-equal counts as no sleep', () => {
  const { parking, answers, counted } = tallyOver();
  parking.wait(8, 0, Infinity);
  answers.wait = 'not-equal';
  expect(parking.wait(8, 0, Infinity)).toBe('not-equal');
  expect([counted('wakeUps'), counted('futile')]).toEqual([1, 0]);
});

test('an async sleep counts when it settles, and makes the one before it futile when it begins', async () => {
  const { parking, answers, wake, counted } = tallyOver();
  const first = parking.waitAsync(8, 0);
  expect(counted('wakeUps')).toBe(0);
  wake();
  await first;
  expect([counted('wakeUps'), counted('futile')]).toEqual([1, 0]);
  answers.async = false;
  expect(parking.waitAsync(8, 0)).toBeUndefined();
  expect(counted('futile')).toBe(0);
  answers.async = true;
  void parking.waitAsync(8, 0);
  expect([counted('wakeUps'), counted('futile')]).toEqual([1, 1]);
});

test('an async sleep that settles after its acquire was a wake-up, but not one of the next acquire', async () => {
  const { parking, tally, wake, counted } = tallyOver();
  const stale = parking.waitAsync(8, 0);
  tally.admitted();
  wake();
  await stale;
  parking.wait(8, 0, Infinity);
  expect([counted('wakeUps'), counted('futile')]).toEqual([2, 0]);
});

test('notify calls are counted, and those that found no sleeper', () => {
  const { parking, answers, counted } = tallyOver();
  expect(parking.notify(8)).toBe(1);
  answers.notify = 0;
  expect(parking.notify(8, 1)).toBe(0);
  expect([counted('notifies'), counted('vain')]).toEqual([2, 1]);
});

test('the worst wait covers all sleeps of an acquire, and only while counting', () => {
  let counting = false;
  const { parking, tally, pass, counted } = tallyOver({ counting: () => counting });
  parking.wait(8, 0, Infinity);
  expect(counted('worstMicros')).toBe(0);
  counting = true;
  tally.admitted();
  pass(100);
  parking.wait(8, 0, Infinity);
  pass(2);
  parking.wait(8, 0, Infinity);
  tally.admitted();
  parking.wait(8, 0, Infinity);
  expect(counted('worstMicros')).toBe(12_000);
});
