import { expect, test } from 'vitest';
import { heapProblems, storeyProblems } from '../src/storeys.mjs';

const problems = (imports: Record<string, readonly string[]>): string[] =>
  storeyProblems(
    '/p',
    ['low', 'high'],
    new Map(
      Object.entries(imports).map(([file, targets]) => [`/p/src/${file}`, targets.map((target) => `/p/src/${target}`)]),
    ),
  );

test('a file may import from its own storey and from lower ones, and an entry from all', () => {
  expect(
    problems({
      'low/a.ts': ['low/b.ts'],
      'high/c.ts': ['low/a.ts', 'high/d.ts'],
      'index.ts': ['high/c.ts', 'low/a.ts'],
    }),
  ).toEqual([]);
});

test('an import from a higher storey is reported', () => {
  expect(problems({ 'low/a.ts': ['high/c.ts'] })).toEqual(['low/a.ts imports high/c.ts, which is above it']);
});

test('no storey imports an entry of the package', () => {
  expect(problems({ 'high/c.ts': ['index.ts'] })).toEqual(['high/c.ts imports index.ts, which is above it']);
});

test('a folder that is no storey is reported', () => {
  expect(problems({ 'attic/a.ts': [] })).toEqual([
    'attic/a.ts lies in a folder that is no storey: list it in storeys.mjs',
  ]);
});

test('files of other packages do not count', () => {
  expect(
    storeyProblems(
      '/p',
      ['low'],
      new Map([
        ['/q/src/a.ts', ['/p/src/low/a.ts']],
        ['/p/src/low/a.ts', ['/q/src/a.ts']],
      ]),
    ),
  ).toEqual([]);
});

test('more than 20 files directly in src are reported, however many lie in folders', () => {
  const files = (count: number, folder: string): string[] =>
    Array.from({ length: count }, (_, i) => `/packages/p/src/${folder}${i}.ts`);
  expect(heapProblems('/packages/p', [...files(20, ''), ...files(30, 'low/')])).toEqual([]);
  expect(heapProblems('/packages/p', files(21, ''))).toEqual([
    'p/src has 21 files: sort them into folders (storeys.mjs)',
  ]);
});
