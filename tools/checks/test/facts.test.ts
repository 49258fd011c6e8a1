import { expect, test } from 'vitest';
import {
  cellProblems,
  changesetProblems,
  orderProblems,
  rankProblems,
  sentenceProblems,
  slotTableProblems,
  tableProblems,
} from '../src/facts.mjs';

const rwLock = {
  name: '@sluice/rw-lock',
  description: 'A fair read-write lock.',
  rank: 1,
  dependencies: ['@sluice/core', '@sluice/mutex'],
  readme: '',
  sources: 'export class RWLock {}',
};
const core = { name: '@sluice/core', description: 'A semaphore.', rank: 0, dependencies: [], readme: '', sources: '' };

test('a README says of a package only what its manifest says it depends on', () => {
  const both =
    'Threads may block. Depends on\n[@sluice/mutex](../mutex/README.md) and [@sluice/core](../core/README.md) only.';
  expect(sentenceProblems({ ...rwLock, readme: both })).toEqual([]);
  expect(sentenceProblems({ ...rwLock, readme: 'Depends on [@sluice/core](../core/README.md) only.' })).toEqual([
    '@sluice/rw-lock: the README says that it depends on @sluice/core, the manifest: @sluice/core, @sluice/mutex',
  ]);
});

/** The table of packages with these rows. */
const table = (...rows: readonly string[]): string =>
  ['| Package | Memory | Depends on |', '| --- | --- | --- |', ...rows, '', 'Text.'].join('\n');

test('the table of packages has the dependencies of the manifests, and what is optional behind a semicolon', () => {
  const rows = ['| core | One line | nothing; `redis` |', '| rw-lock | `RWLock`: two lines | mutex, core |'];
  expect(tableProblems(table(...rows), [core, rwLock])).toEqual([]);
});

test('a row with a wrong dependency or a class of another package is a problem, and so is a package without a row', () => {
  const readme = table('| rw-lock | `RWLock` two, `MultilaneSemaphore` one more | core |');
  expect(tableProblems(readme, [core, rwLock])).toEqual([
    'README.md: the table of packages does not have core once',
    'README.md: the table says that @sluice/rw-lock depends on core, the manifest: core, mutex',
    'README.md: the table has MultilaneSemaphore in the row of rw-lock, which has no such class',
  ]);
});

test('the list of ranks has each package once, under the rank of its manifest', () => {
  const list = ['rank 0   packages/core   arena', 'rank 1   packages/mutex  Mutex', '         packages/rw-lock  Rw'];
  const mutex = { name: '@sluice/mutex', rank: 1 };
  expect(rankProblems(list.join('\n'), [core, rwLock, mutex])).toEqual([]);
  const page = [...list, '         packages/core    again', 'rank 2   packages/mutes   Mutex'].join('\n');
  expect(rankProblems(page, [core, { ...rwLock, rank: 2 }, mutex])).toEqual([
    'docs/ARCHITECTURE.md: the list of ranks has mutes, which is no package',
    'docs/ARCHITECTURE.md: the list of ranks does not have core once',
    'docs/ARCHITECTURE.md: the list of ranks has rw-lock under rank 1, the manifest has 2',
  ]);
});

test('the row of the worker pool has the numbers of words of the slot table', () => {
  const source = 'const SLOT_WORDS = 3;\nconst SHARED_WORDS = 3;';
  const row = (more: string): string =>
    `| worker-pool | a region with three 32-bit words for each task and ${more} more |`;
  expect(slotTableProblems(row('three'), source)).toEqual([]);
  expect(slotTableProblems(row('two'), source)).toEqual([
    'README.md: the slot table of the pool has three and three words, not three and two',
  ]);
});

test('the changeset has the description of each manifest', () => {
  const list = "---\n'@sluice/core': minor\n'@sluice/rw-lock': minor\n---\n\n- `@sluice/core`: A semaphore.\n";
  expect(changesetProblems(`${list}- \`@sluice/rw-lock\`: A fair read-write lock.\n`, [core, rwLock])).toEqual([]);
  expect(changesetProblems(`${list}- \`@sluice/rw-lock\`: At most B - 1 pass.\n`, [core, rwLock])).toEqual([
    '.changeset/first-release.md: not the description of @sluice/rw-lock: A fair read-write lock.',
  ]);
});

test('a cell with more than 380 characters is a problem', () => {
  const long = 'word '.repeat(80).trim();
  expect(cellProblems('README.md', `| a | ${'b'.repeat(380)} |\n${long}`)).toEqual([]);
  expect(cellProblems('README.md', `| a | ${long} |`)).toEqual([
    'README.md:1: a cell has 399 characters, more than 380: make it a section',
  ]);
});

test('the sections that READMEs share are in one order, with others between them', () => {
  expect(orderProblems('README.md', '## Example\n## Intervals\n## API\n## How it works\n')).toEqual([]);
  expect(orderProblems('README.md', '## Example\n## How it works\n## API\n')).toEqual([
    'README.md: the sections are in the order Example, How it works, API, not Example, API, How it works',
  ]);
});
