// @ts-check
import { Semaphore } from '@sluice/core';
import { isUint8Array } from '@sluice/core/calls';
import { oneByOne, repeat } from '../lib/side-by-side.mjs';

/** More than one object, so that no check is made once for all calls. */
const VALUES = Array.from({ length: 64 }, () => new Uint8Array(8));

/** How many of so many values pass the check. @param {number} calls @param {(value: unknown) => boolean} check */
function countOf(calls, check) {
  let count = 0;
  for (let done = 0; done < calls; done++) if (check(VALUES[done & 63])) count++;
  if (count !== calls) throw new Error(`${count} of ${calls} values passed the check.`);
}

/** @type {readonly import('../lib/side-by-side.mjs').Load[]} */
export const loads = [
  {
    name: 'turn',
    what: 'a callback of the next turn of the event loop, beside an async call that settles in this turn',
    calls: 200_000,
    subjects: {
      'acquireAsync and release': () => {
        const semaphore = Semaphore.create(1);
        return (calls) =>
          oneByOne(calls, async () => {
            await semaphore.acquireAsync();
            semaphore.release();
          });
      },
      setImmediate: () => (calls) => oneByOne(calls, () => new Promise((resolve) => void setImmediate(resolve))),
      'setImmediate, armed many times in a turn': () => (calls) =>
        new Promise((resolve) => {
          let left = calls;
          repeat(calls, () => void setImmediate(() => --left === 0 && resolve(undefined)));
        }),
    },
  },
  {
    name: 'bytes',
    what: 'whether a value is a Uint8Array',
    calls: 20_000_000,
    subjects: {
      instanceof: () => (calls) => countOf(calls, (value) => value instanceof Uint8Array),
      'isUint8Array, of any realm': () => (calls) => countOf(calls, isUint8Array),
    },
  },
];
