import { expect, test } from 'vitest';
import { titleProblems } from '../src/titles.mjs';

/** The problems of a test with this title, in a `describe` or not. */
function problemsOf(title: string, describe?: string): string[] {
  const body = `test('${title}', () => {});`;
  return titleProblems('a.test.ts', describe === undefined ? body : `describe('${describe}', () => { ${body} });`);
}

test('a title with a subject, an action and a condition is accepted', () => {
  expect(problemsOf('unlock() hands the mutex to the longest waiter')).toEqual([]);
  expect(problemsOf('when an agent dies, its permits return')).toEqual([]);
  expect(problemsOf('%s')).toEqual([]);
});

test('a title that is only a condition is a problem, also in a describe', () => {
  expect(problemsOf('while the agent waits', 'leave() throws')).toEqual([
    "a.test.ts:1: 'while the agent waits' has no outcome",
  ]);
  expect(problemsOf('when the code computes')).toEqual(["a.test.ts:1: 'when the code computes' has no outcome"]);
});

test('a title that finishes the noun of its describe is a problem', () => {
  expect(problemsOf('that is destroyed leaves the queue', 'a Readable')).toEqual([
    "a.test.ts:1: 'that is destroyed leaves the queue' finishes the noun of its describe: name the subject",
  ]);
});

test('a title that begins with its verb needs a describe, or an it', () => {
  expect(problemsOf('waits if the window is full', 'a thread')).toEqual([]);
  expect(titleProblems('a.test.ts', "it('serves waiters in order', () => {});")).toEqual([]);
  expect(problemsOf('waits if the window is full')).toEqual([
    "a.test.ts:1: 'waits if the window is full' has no subject",
  ]);
});

test('a title without a finite verb outside of its relative clauses is a problem', () => {
  for (const title of ['readers against readers', 'two threads that wait for each other', 'the order of two locks'])
    expect(problemsOf(title, 'order')).toEqual([`a.test.ts:1: '${title}' has no finite verb that verbs.mjs knows`]);
  for (const title of ['readers against readers are ignored', 'a wait that timed out counts the waiters', 'has %s'])
    expect(problemsOf(title, 'order')).toEqual([]);
});

test('a describe that its tests finish is a problem, and so is one without a subject', () => {
  for (const describe of ['a call that', 'a wrong argument is refused:', 'the first lines explain'])
    expect(problemsOf('a call fails', describe)).toEqual([
      `a.test.ts:1: '${describe}' is a sentence that its tests finish`,
    ]);
  expect(problemsOf('a cycle is reported', 'is reported')).toEqual(["a.test.ts:1: 'is reported' has no subject"]);
});

test('titles of test.each() and template literals are checked', () => {
  expect(
    titleProblems('a.test.ts', "test.each([1])('when %i', () => {});\nit(`while ${'x'} waits`, () => {});"),
  ).toEqual(["a.test.ts:1: 'when %i' has no outcome", "a.test.ts:2: 'while ${'x'} waits' has no outcome"]);
});
