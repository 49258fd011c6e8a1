// Tests that reports of `inspect` are plain data: they can become JSON, which has null for Infinity, and can be posted.

import { describe, expect, test } from 'vitest';
import { arena, methodsOf, SAMPLES } from './samples.ts';
import { createLimit } from '../../../packages/limit/src/index.ts';

interface Inspectable {
  inspect(): unknown;
}

const REPORTING = [
  ...SAMPLES.filter(({ make }) => methodsOf(make()).includes('inspect')),
  {
    name: 'createLimit() with an interval',
    make: (): object => createLimit({ arena, concurrency: 1, interval: 10, intervalCap: 1 }),
  },
] as readonly { readonly name: string; readonly make: () => Inspectable }[];

/** Makes the calls of a primitive that leave something to report, as far as it has them. */
async function use(made: Partial<Record<string, (...args: unknown[]) => unknown>>): Promise<void> {
  const tries: readonly (readonly [name: string, ...args: unknown[]])[] = [
    ['tryLock'],
    ['tryAcquire'],
    ['reserve'],
    ['tryPush', 1],
    ['tryPublish', 1],
    ['subscribe'],
    ['arriveAsync'],
    ['lockAsync', { timeout: 1 }],
    ['acquireAsync', 1, { timeout: 1 }],
  ];
  for (const [name, ...args] of tries) {
    try {
      // A waiting call is pending in the report.
      Promise.resolve(made[name]?.(...args)).catch(() => undefined);
    } catch {
      // Of another kind.
    }
  }
  await Promise.resolve();
}

/** Returns the report as JSON has it, without the members that JSON omits. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value === Infinity) return null;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, plain(member)]),
  );
}

describe('a report of inspect() becomes JSON and back, and can be cloned, of', () => {
  test.each(REPORTING)('$name', async ({ make }) => {
    const made = make();
    const check = (): void => {
      const report = made.inspect();
      expect(JSON.parse(JSON.stringify(report))).toEqual(plain(report));
      expect(structuredClone(report)).toEqual(report);
    };
    check();
    await use(made as never);
    check();
  });

  test('most classes have a report', () => {
    expect(REPORTING.length).toBeGreaterThan(30);
  });
});
