import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { pageProblems } from '../src/page-files.mjs';

const scopes: string[] = [];
afterEach(() => {
  for (const scope of scopes.splice(0)) rmSync(scope, { recursive: true });
});

/** Creates two packages: `one` has this text for pages, `two` has an index. */
function problemsOf(text: string): string[] {
  const scope = mkdtempSync(join(tmpdir(), 'sluice-pages-'));
  scopes.push(scope);
  for (const [name, content] of [
    ['one', text],
    ['two', 'export const two = 2;\n'],
  ] as const) {
    const folder = join(scope, name, 'dist', 'browser');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.js'), content);
  }
  return pageProblems(join(scope, 'one'));
}

test('paths to files of other packages are accepted, and so are texts that quote an import', () => {
  expect(
    problemsOf(
      `import { two } from '../../../two/dist/browser/index.js';\nimport '../../../../msgpackr/index.js';\nthrow two + "import { a } from 'b'";\n`,
    ),
  ).toEqual([]);
});

test('a bare name and a path to a missing file are reported', () => {
  expect(problemsOf(`import { two } from '@sluice/two';\nexport * from './chunk.js';\n`)).toEqual([
    'one/dist/browser/index.js: a page finds no file for @sluice/two',
    'one/dist/browser/index.js: there is no ./chunk.js',
  ]);
});

test('a package without files for pages has no problem', () => {
  expect(pageProblems(join(tmpdir(), 'no such package'))).toEqual([]);
});
