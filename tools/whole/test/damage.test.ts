// Overwrites each word of a primitive's blocks with each of some bad values, and makes each call. A call must end with
// a result or with an error of Sluice that names the primitive. Operations are counted, not timed: each read of the
// clock advances it by a second.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { Arena } from '../../../packages/core/src/index.ts';
import { contextOf } from '../../../packages/core/src/internal.ts';
import { turn } from '../../conformance/src/observe.ts';
import { PARTS, SUBJECTS } from './damage-subjects.ts';
import { SAMPLES } from './samples.ts';

/**
 * The number of clock reads and sleeps after which a call counts as endless. The bounds of Sluice end each loop before.
 */
const TOO_MANY = 100_000;
/** The maximum number of bytes of a block that are damaged, one word after the other. */
const MAX_BYTES = 512;
const VALUES = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 64, 0x1234_5678];

const now = performance.now.bind(performance);
let clock = 0;
let looks = 0;

function look(): void {
  looks += 1;
  if (looks > TOO_MANY) throw new Error('The call has no end.');
}

beforeEach(() => {
  // No spies: they would keep a record of each call.
  performance.now = () => {
    look();
    return (clock += 1000);
  };
});

afterEach(() => {
  performance.now = now;
});

/**
 * A title in a message, such as "Mutex at address 9600", the kind, such as "a broadcast has", or the address that a
 * report came to.
 */
const NAMED =
  /damaged at \w+ '|\w at address \d+|address -?\d+ is outside|@sluice\/\w+|: an? (bounded buffer|broadcast|watch cell|laned capacitor|table of names)/;
/** The errors that codecs throw for wrong bytes. */
const OF_CODECS = /MessagePack|SyntaxError/;

/**
 * An error of Sluice that says which primitive is damaged, a documented error that names its primitive, or a codec's
 * that was given other bytes.
 */
function isTyped(failure: unknown): boolean {
  const { code } = failure as { readonly code?: string };
  const text = String(failure);
  if (code === 'SLUICE_CORRUPT_ARENA') return NAMED.test(text);
  return (
    code?.startsWith('SLUICE_') === true ||
    /^(Range|Type)Error: \w+ at address \d+[: ]/.test(text) ||
    OF_CODECS.test(text)
  );
}

test('every kind in shared memory has a subject', () => {
  const names = SAMPLES.map(({ name }) => name).filter((name) => !PARTS.includes(name));
  expect(names.filter((name) => SUBJECTS[name] === undefined)).toEqual([]);
});

test.each(Object.entries(SUBJECTS))(
  '%s: every call on damaged blocks ends with a result or a typed error',
  async (_, make) => {
    const odd = new Set<string>();
    const arena = Arena.create({ maxPages: 8, policy: { buckets: 4, spinMicros: 0 } });
    const image = new Uint8Array(arena.handle.memory.buffer);
    const context = contextOf(arena);
    const known = new Set(arena.inspect().blocks.map(({ address }) => address));
    const calls = Object.entries(make(arena));
    const blocks = arena
      .inspect()
      .blocks.filter(({ address, kind }) => !known.has(address) && kind !== 'pool' && kind !== 'free');
    expect(blocks).not.toEqual([]);
    // Sleeps end at once, because no other thread would wake this one.
    context.parking.wait = () => {
      look();
      return 'timed-out';
    };
    const before = image.slice();
    for (const { address, bytes, kind } of blocks) {
      for (let word = 0; word < Math.min(MAX_BYTES, bytes); word += 4) {
        for (const value of VALUES) {
          for (const [name, call] of calls) {
            image.set(before);
            context.words.store32(address + word, value);
            looks = 0;
            const note = (failure: unknown): void => {
              if (!isTyped(failure)) odd.add(`${kind}, word ${word} = ${value}, ${name}: ${String(failure)}`);
            };
            try {
              const result = call();
              if (result instanceof Promise) {
                result.catch(note);
                await turn();
              }
            } catch (failure) {
              note(failure);
            }
          }
        }
      }
    }
    image.set(before);
    expect([...odd]).toEqual([]);
  },
);
