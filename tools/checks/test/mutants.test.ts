import { expect, test } from 'vitest';
import { mutantNames, mutantProblems } from '../src/mutants.mjs';

const mutants = {
  file: 'packages/mutex/test/model/mutants.ts',
  text: ["  { name: 'a hand-over wakes no waiter' },", '  {', '    name: "the owner\'s word stays",', '  },'].join(
    '\n',
  ),
};
const problemsOf = (...lines: readonly string[]): string[] =>
  mutantProblems([mutants, { file: 'packages/mutex/src/kernel/mutex.ts', text: lines.join('\n') }]);

test('the names of mutants are those in the files of mutants', () => {
  const other = { file: 'packages/mutex/test/mutex.test.ts', text: "const lock = { name: 'accounts' };" };
  expect([...mutantNames([mutants, other])]).toEqual(['a hand-over wakes no waiter', "the owner's word stays"]);
});

test('a comment names mutants that exist, also across lines', () => {
  expect(problemsOf('// If R did not (the mutant "a hand-over', '// wakes no waiter"), W would sleep.')).toEqual([]);
  expect(problemsOf('// See the mutants "a hand-over wakes no waiter" and "the owner\'s word stays".')).toEqual([]);
});

test('a mutant that does not exist is a problem, in a line comment and in a docstring', () => {
  expect(problemsOf('const a = 1;', '// If R did not (the mutant "a hand-over', '// wakes all"), W runs.')).toEqual([
    'packages/mutex/src/kernel/mutex.ts:2: names the mutant "a hand-over wakes all", which does not exist',
  ]);
  expect(problemsOf('/**', ' * The mutants "a hand-over wakes no waiter" and "no" die.', ' */')).toEqual([
    'packages/mutex/src/kernel/mutex.ts:1: names the mutant "no", which does not exist',
  ]);
});

test('a text in the code is no comment', () => {
  expect(problemsOf('const title = \'the mutant "none" dies\';')).toEqual([]);
});
