import { expect, test } from 'vitest';
import { referenceProblems } from '../src/references.mjs';

const files = [
  'docs/decisions/087-a-newcomer-stays-out.md',
  'packages/core/src/agent/kind.ts',
  'packages/core/src/kernel/layout.ts',
  'packages/core/src/line/chain-wait.ts',
  'packages/mutex/src/mutex.ts',
];

/** The problems of these lines in a file of the core, or of another package. */
function problemsOf(lines: readonly string[], file = 'packages/core/src/kernel/layout.ts'): string[] {
  return referenceProblems([{ file, text: lines.join('\n') }], files);
}

test('a path in a comment leads to a file of its own package', () => {
  expect(
    problemsOf(['// Packages define kinds (../agent/kind.ts). line/chain-wait.ts and chain-wait.ts wait.']),
  ).toEqual([]);
  expect(problemsOf(['/** Packages define kinds (../kind.ts). */'])).toEqual([
    'packages/core/src/kernel/layout.ts:1: names ../kind.ts, which is not there',
  ]);
  expect(problemsOf(['// The waiter is in channel/until.ts.'])).toEqual([
    'packages/core/src/kernel/layout.ts:1: names channel/until.ts, which is not there',
  ]);
});

test('a file of another package needs the name of that package, on its line or the one above', () => {
  const mutex = 'packages/mutex/src/mutex.ts';
  expect(problemsOf(['// The waiter waits (core: line/chain-wait.ts).'], mutex)).toEqual([]);
  expect(problemsOf(['// The waiter waits as in the core', '// (line/chain-wait.ts).'], mutex)).toEqual([]);
  expect(problemsOf(['// The waiter waits (line/until.ts).'], mutex)).toEqual([
    `${mutex}:1: names line/until.ts, which is not there`,
  ]);
});

test('a number of a decision is that of a record', () => {
  expect(problemsOf(['// It stays out of the line (docs/decisions/087). See decision 87, too.'])).toEqual([]);
  expect(problemsOf(['// It stays out of the line (docs/decisions/087 and 127).'])).toEqual([
    'packages/core/src/kernel/layout.ts:1: names decision 127, which is not there',
  ]);
});

test('a constant in a comment is one of the code', () => {
  const code = 'export const OWNERS_AT: i32 = 29;';
  expect(problemsOf(['// OWNERS_AT tells which lines have an owner.', code])).toEqual([]);
  expect(problemsOf(['// FLAGS_OWNERS tells which lines have an owner.', code])).toEqual([
    'packages/core/src/kernel/layout.ts:1: names FLAGS_OWNERS, which is not there',
  ]);
});

test('the steps of a step record are functions of the code', () => {
  const lines = ['/**', ' * @death `cancelDeadWait`; or `cancelWait`', ' */', 'export function cancelWait() {}'];
  expect(problemsOf(lines)).toEqual(['packages/core/src/kernel/layout.ts:2: names cancelDeadWait, which is not there']);
});

test('code, examples and links to other sites name what they like', () => {
  expect(
    problemsOf([
      "import { a } from './a.ts';",
      '/**',
      ' * ```ts',
      " * new URL('./square.mjs', import.meta.url); // square.mjs",
      ' * ```',
      ' */',
      '// https://example.org/a/b.ts',
    ]),
  ).toEqual([]);
});
