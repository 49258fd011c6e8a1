// Tests of the code that documents show from files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/workspace.mjs';
import { codeBelow } from '../src/markdown.mjs';
import { shownCodeProblems, withShownCode, withTabs } from '../src/shown-code.mjs';

const fence = '`'.repeat(3);
const [FILE, OTHER] = ['tools/checks/test/shown/before.mjs', 'tools/checks/test/shown/after.mjs'] as const;
const code = readFileSync(join(root, FILE), 'utf8');
const page = (first: string, body = ''): string => `# A\n\n${fence}${first}\n${body}${fence}\n`;

test('the code of a file is written into its fence', () => {
  const written = withShownCode(page(`js from=${FILE}`, 'old();\n'));
  expect(written).toBe(page(`js from=${FILE}`, code));
  expect(shownCodeProblems({ name: 'a.md', text: written })).toEqual([]);
});

test('the difference of two files is written into its fence', () => {
  const written = withShownCode(page(`diff from=${FILE} to=${OTHER}`));
  expect(written).toContain("\n- export const file = open('before.txt');\n+ export const file = open('after.txt');\n");
  expect(shownCodeProblems({ name: 'a.md', text: written })).toEqual([]);
});

test('a fence that differs from its file, and a file or a heading that is missing, are problems', () => {
  const problemsOf = (text: string): string[] => shownCodeProblems({ name: 'a.md', text });
  expect(problemsOf(page(`js from=${FILE}`, 'old();\n'))).toEqual([
    `a.md:3: differs from ${FILE}: run node scripts/shown-code.mjs`,
  ]);
  expect(problemsOf(page('js from=no/file.mjs'))).toEqual(['a.md:3: shows no/file.mjs: no such file or heading']);
  expect(problemsOf(page('js from=README.md#no-such-heading'))).toEqual([
    'a.md:3: shows README.md#no-such-heading: no such file or heading',
  ]);
  expect(problemsOf(page(`diff from=${FILE} to=no/file.mjs`))).toEqual([
    `a.md:3: shows the difference of ${FILE} and no/file.mjs: no such file or heading`,
  ]);
});

test('a heading stands for the first code below it', () => {
  const text = `${fence}\n## Two\n${fence}\n\n## One\n\n${fence}js\none();\n${fence}\n\n## Two\n\n${fence}js run\ntwo();\n${fence}\n`;
  expect(codeBelow(text, 'one')).toBe('one();\n');
  expect(codeBelow(text, 'two')).toBe('two();\n');
  expect(codeBelow(text, 'three')).toBeUndefined();
});

test('neighbouring files become tabs, a file alone stays', () => {
  const shown = (name: string): string => `\`${name}\`:\n\n${fence}js from=x/${name}\n${name}();\n${fence}\n\n`;
  expect(withTabs(`A\n\n${shown('a.mjs')}${shown('b.mjs')}B\n\n${shown('c.mjs')}`)).toBe(
    `A\n\n::: code-group\n\n${fence}js [a.mjs]\na.mjs();\n${fence}\n\n${fence}js [b.mjs]\nb.mjs();\n${fence}\n\n:::\n\nB\n\n${shown('c.mjs')}`,
  );
});
