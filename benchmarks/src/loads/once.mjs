// @ts-check
import { Lazy, Once } from '@sluice/event';
import { repeat } from '../lib/side-by-side.mjs';

const nothing = () => {};

/**
 * What people write by hand: one word, and a compare-and-swap for the first.
 * @param {Int32Array} word
 * @param {() => void} initialise
 */
function onceByHand(word, initialise) {
  if (Atomics.load(word, 0) === 2) return;
  if (Atomics.compareExchange(word, 0, 0, 1) === 0) {
    initialise();
    Atomics.store(word, 0, 2);
    Atomics.notify(word, 0);
  } else while (Atomics.load(word, 0) !== 2) Atomics.wait(word, 0, 1);
}

/** @type {readonly import('../lib/side-by-side.mjs').Load[]} */
export const loads = [
  {
    name: 'done',
    what: 'a call of a once that is done',
    calls: 20_000_000,
    subjects: {
      'by hand': () => {
        const word = new Int32Array(new SharedArrayBuffer(4));
        return (calls) => repeat(calls, () => onceByHand(word, nothing));
      },
      'Once.run': () => {
        const once = Once.create();
        return (calls) => repeat(calls, () => once.run(nothing));
      },
    },
  },
  {
    name: 'value',
    what: 'the value that was initialised, a number',
    calls: 5_000_000,
    subjects: {
      'by hand': () => {
        const buffer = new SharedArrayBuffer(16);
        const [word, values] = [new Int32Array(buffer, 0, 1), new Float64Array(buffer, 8, 1)];
        return (calls) =>
          repeat(calls, () => {
            onceByHand(word, () => void (values[0] = 7));
            return values[0];
          });
      },
      'Lazy.get': () => {
        const lazy = Lazy.create({ codec: 'float64' });
        return (calls) => repeat(calls, () => lazy.get(() => 7));
      },
    },
  },
  {
    name: 'first',
    what: 'a first call, which initialises',
    calls: 20_000,
    subjects: {
      'by hand': () => (calls) => repeat(calls, () => onceByHand(new Int32Array(new SharedArrayBuffer(4)), nothing)),
      'Once.create, run, free': () => (calls) =>
        repeat(calls, () => {
          const once = Once.create();
          once.run(nothing);
          once.free();
        }),
    },
  },
];
