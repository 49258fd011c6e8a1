import { expect, test } from 'vitest';
import { throwsProblems } from '../src/throws.mjs';

/** The problems of a member with this docstring. */
const problemsOf = (...lines: readonly string[]): string[] =>
  throwsProblems('gate.d.cts', ['/**', ...lines.map((line) => ` * ${line}`), ' */', 'free(): void;'].join('\n'));

test.each([
  ['at the end', ['Frees the memory. Throws `MisuseError` while an agent is inside.']],
  ['across two lines', ['Enters, blocking until that is possible. Throws', '`MisuseError` and `ArenaFullError`.']],
  ['in a paragraph of its own', ['Frees the memory.', '', 'Throws as `lock` does.']],
  ['before its tags', ['Opens. Throws `HandleError`.', '', '@param handle - A handle.']],
])('a docstring that tells its errors in a sentence %s is a problem', (_, lines) => {
  expect(problemsOf(...lines)).toEqual([
    expect.stringMatching(/^gate\.d\.cts: 'free\(\): void;' says 'Throws .*': write @throws/) as string,
  ]);
});

test('a docstring of one line that tells its errors is a problem', () => {
  expect(throwsProblems('a.d.cts', '/** Checks. Throws `TypeError`. */\nexport function check(): void;')).toHaveLength(
    1,
  );
});

test('tags, conditions and code are no problem', () => {
  expect(
    problemsOf(
      'Runs `body`. If it throws, the call throws that error.',
      '',
      '```ts',
      '// Throws a TypeError',
      '```',
      '@throws {TypeError} If `body` is not a function.',
      '@throws The errors of `lock`. Throws nothing else.',
    ),
  ).toEqual([]);
});
