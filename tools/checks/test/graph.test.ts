import { expect, test } from 'vitest';
import { graphProblems, groupProblems, removalProblems } from '../src/graph.mjs';

const ranks = {
  '@sluice/core': { rank: 0 },
  '@sluice/mutex': { rank: 1 },
  '@sluice/event': { rank: 1 },
  '@sluice/limit': { rank: 1, external: ['p-limit'] },
};

const core = {
  directory: '/repository/packages/core',
  name: '@sluice/core',
  dependencies: [],
  entries: ['.', './internal'],
  sources: [],
};

/** Returns the problems of one package beside core with one source file of the given text. */
function problemsOf(name: string, dependencies: string[], text: string): string[] {
  const directory = `/repository/packages/${name.replace('@sluice/', '')}`;
  return graphProblems(
    [
      ...(name === core.name ? [] : [core]),
      { directory, name, dependencies, sources: [{ file: `${directory}/src/part/a.ts`, text }] },
    ],
    ranks,
  );
}

test('a package may import its own files and a lower rank by name', () => {
  const text = `import { b } from '../b.ts'; import type { Lock } from '@sluice/core'; import '@sluice/core/internal'; await import('./c.ts');`;
  expect(problemsOf('@sluice/mutex', ['@sluice/core'], text)).toEqual([]);
});

test.each([
  ['a package of its own rank', '@sluice/mutex', ['@sluice/event'], '', 'arrows only go down'],
  ['a package of a higher rank', '@sluice/core', ['@sluice/mutex'], '', 'arrows only go down'],
  ['a package that is not a declared dependency', '@sluice/mutex', [], `import '@sluice/core';`, 'not among'],
  [
    'an entry that the other package does not have',
    '@sluice/mutex',
    ['@sluice/core'],
    `import '@sluice/core/select';`,
    'reaches inside',
  ],
  [
    'the inside of another package',
    '@sluice/mutex',
    ['@sluice/core'],
    `export * from '@sluice/core/src/x.ts';`,
    'reaches inside',
  ],
  ['a file outside its src', '@sluice/mutex', [], `import '../../test/helper.ts';`, 'leaves'],
  ['another package by path', '@sluice/mutex', [], `await import('../../../core/src/index.ts');`, 'leaves'],
  ['a Node.js module', '@sluice/mutex', [], `import { Worker } from 'node:worker_threads';`, 'Node.js module'],
  ['a third-party package without permission', '@sluice/mutex', ['p-limit'], '', 'may not depend'],
])('a package may not import %s', (_, name, dependencies, text, problem) => {
  expect(problemsOf(name, dependencies, text)).toEqual([expect.stringContaining(problem)]);
});

test('a third-party package may be used where the line of ranks allows it', () => {
  expect(problemsOf('@sluice/limit', ['p-limit'], `import limit from 'p-limit';`)).toEqual([]);
});

test('a package without a rank is reported', () => {
  expect(problemsOf('@sluice/new', [], '')).toEqual([expect.stringContaining('no rank')]);
});

test.each([['workspace:^'], ['workspace:~'], ['^0.1.0']])(
  'a package may not depend on another one of the family as %s',
  (range) => {
    const facts = {
      directory: '/repository/packages/mutex',
      name: '@sluice/mutex',
      dependencies: ['@sluice/core'],
      sources: [],
    };
    expect(graphProblems([{ ...facts, ranges: { '@sluice/core': range } }], ranks)).toEqual([
      expect.stringContaining('workspace:*'),
    ]);
    expect(graphProblems([{ ...facts, ranges: { '@sluice/core': 'workspace:*' } }], ranks)).toEqual([]);
  },
);

test('all packages are in one fixed group of changesets', () => {
  const names = ['@sluice/core', '@sluice/mutex'];
  expect(groupProblems(names, [names])).toEqual([]);
  expect(groupProblems(names, [])).toHaveLength(2);
  expect(groupProblems(names, [['@sluice/core'], ['@sluice/mutex']])).toHaveLength(1);
  expect(groupProblems([...names, '@sluice/new'], [names])).toEqual([
    '.changeset/config.json: @sluice/new is missing in the group "fixed" of all packages',
  ]);
});

test('a test imports only from packages to which its manifest leads', () => {
  const member = (name: string, needs: string[], text = ''): Parameters<typeof removalProblems>[0][number] => {
    const directory = `/repository/packages/${name}`;
    return { directory, name, needs, files: [{ file: `${directory}/test/a.test.ts`, text }] };
  };
  const problems = (needs: string[], text: string): string[] =>
    removalProblems(
      [member('inspect', needs, text), member('mutex', ['harness']), member('harness', []), member('soak', ['mutex'])],
      (name) => name === 'inspect' || name === 'mutex',
    );
  const [path, name] = ["import '../../mutex/src/index.ts';", "await import('mutex/internal');"];
  for (const text of [path, name]) {
    expect(problems([], text)).toEqual([expect.stringContaining('leads to mutex')]);
    expect(problems(['mutex'], text)).toEqual([]);
    expect(problems(['soak'], text)).toEqual([]);
  }
  // A tool that needs no package always stays.
  expect(problems([], "import '../../harness/src/index.ts'; import '../src/index.ts'; import 'vitest';")).toEqual([]);
  expect(problems([], "import '../../soak/src/main.ts';")).toEqual([expect.stringContaining('leads to mutex')]);
});
