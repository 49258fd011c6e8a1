import { expect, test } from 'vitest';
import { documentReferenceProblems, referenceProblems, stepTableProblems } from '../src/references.mjs';

const files = [
  'docs/decisions/087-a-newcomer-stays-out.md',
  'packages/core/src/agent/kind.ts',
  'packages/core/src/kernel/layout.ts',
  'packages/core/src/line/chain-wait.ts',
  'packages/core/test/misuse/recovery.ts',
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

test('a comment of a product does not mean a file of a test, unless the name says so', () => {
  expect(problemsOf(['// The recovery is in recovery.ts.'])).toEqual([
    'packages/core/src/kernel/layout.ts:1: names recovery.ts, which is not there',
  ]);
  expect(problemsOf(['// Compare test/misuse/recovery.ts.'])).toEqual([]);
});

test('a name in backticks is one of the code, in a step record and elsewhere', () => {
  const lines = ['/**', ' * @death `cancelDeadWait`; or `cancelWait`', ' */', 'export function cancelWait() {}'];
  expect(problemsOf(lines)).toEqual(['packages/core/src/kernel/layout.ts:2: names cancelDeadWait, which is not there']);
  expect(problemsOf(['// Pairs with `Line.#sleep()`.', 'class Line { #sleep() {} }'])).toEqual([]);
  expect(problemsOf(['// Pairs with `Line.#rest`.', 'class Line { #sleep() {} }'])).toEqual([
    'packages/core/src/kernel/layout.ts:1: names Line.#rest, which is not there',
  ]);
  expect(problemsOf(['// As `CyclicBarrier` of `java.util`; see `a sentence`.', 'const util = 1;'])).toEqual([]);
});

test('a file that follows a name has that name', () => {
  const walk = { file: 'packages/core/src/agent/kind.ts', text: 'export function putBack() {}' };
  const chain = { file: 'packages/core/src/line/chain-wait.ts', text: 'export function waitAtBucket() {}' };
  const said = (comment: string): string[] =>
    referenceProblems([{ file: 'packages/core/src/kernel/layout.ts', text: comment }, walk, chain], files);
  expect(said('// It looks again: `putBack` (agent/kind.ts), `waitAtBucket` in chain-wait.ts.')).toEqual([]);
  expect(said('// It looks again (kind.ts, putBack).')).toEqual([]);
  expect(said('// It looks again (chain-wait.ts, putBack).')).toEqual([
    'packages/core/src/kernel/layout.ts:1: names putBack in chain-wait.ts, which is not there',
  ]);
  expect(said('// It looks again: `putBack`\n// (line/chain-wait.ts).')).toEqual([
    'packages/core/src/kernel/layout.ts:1: names putBack in line/chain-wait.ts, which is not there',
  ]);
});

test('a package does not explain itself by steps of packages on which it does not depend', () => {
  const steps = { file: 'packages/mutex/src/kernel/steps.ts', text: 'export function lockMutex() {}' };
  const comment = { file: 'packages/rw-lock/src/kernel/unlock-writer.ts', text: '// As `lockMutex`.' };
  const problems = (dependencies: readonly string[]): string[] =>
    referenceProblems([steps, comment], files, () => dependencies);
  expect(problems(['packages/mutex'])).toEqual([]);
  expect(problems(['packages/core'])).toEqual([
    'packages/rw-lock/src/kernel/unlock-writer.ts:1: names lockMutex, a step of a package that this one does not depend on',
  ]);
});

test('a document for contributors names files and functions that are there', () => {
  const source = { file: 'packages/core/src/agent/kind.ts', text: 'export function putBack() {}' };
  const problems = (text: string): string[] =>
    documentReferenceProblems({ file: 'docs/ARCHITECTURE.md', text }, [source], files);
  expect(problems('`putBack` is in `agent/kind.ts`, beside `mutex.ts`. [`old.ts`](../old.ts)')).toEqual([]);
  expect(problems('3. **Finish** (`recovery.ts`), by `putAway`.')).toEqual([
    'docs/ARCHITECTURE.md:1: names recovery.ts, which is not there',
    'docs/ARCHITECTURE.md:1: names putAway, which is not there',
  ]);
  expect(problems('```\n`putAway`\n```')).toEqual([]);
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

/** The problems of the tables of a kernel file of mutex, which depends on the core. */
function tableProblemsOf(lines: readonly string[], code = ''): string[] {
  return stepTableProblems(
    [
      { file: 'packages/mutex/src/kernel/mutex.ts', text: `${lines.join('\n')}\n${code}` },
      {
        file: 'packages/mutex/src/kernel/waiter.ts',
        text: 'export function parkMutex() {\n}\nconst part = {\n  uncount() {\n  },\n};',
      },
      { file: 'packages/core/src/kernel/wait.ts', text: 'export function poll() {\n}' },
      { file: 'packages/event/src/kernel/once.ts', text: 'export function closeOnce() {\n}' },
    ],
    (folder) => (folder === 'packages/mutex' ? ['packages/core'] : []),
  );
}

test('a table of changes names steps of its file, of its kernel and of the kernels below', () => {
  expect(
    tableProblemsOf(
      [
        '//   free ▶ owner   [lockMutex, parkMutex,   it is free',
        '//                   uncount, poll]',
        '//   n   [the owner of it]',
      ],
      'export function lockMutex() {}',
    ),
  ).toEqual([]);
});

test('a name in a table of changes that no kernel there has is a problem, also in the second line of a cell', () => {
  expect(tableProblemsOf(['//   free ▶ owner   [lockMutex,   it is free', '//                   closeOnce]'])).toEqual([
    'packages/mutex/src/kernel/mutex.ts:1: a table names the step lockMutex, which no kernel here has',
    'packages/mutex/src/kernel/mutex.ts:1: a table names the step closeOnce, which no kernel here has',
  ]);
});
