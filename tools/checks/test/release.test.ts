import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deadLinks } from '../../../scripts/release/inspect.mjs';
import { publishedManifest } from '../../../scripts/release/manifest.mjs';
import { blockBelow, HEADING } from '../../../scripts/release/from-source.mjs';
import { commandsIn, commandsOf, commandsToRun, noteOthers, otherWay } from '../../../scripts/release/newcomer.mjs';
import { Ledger, NOT_RUN } from '../../../scripts/release/not-run.mjs';
import { publishOrder } from '../../../scripts/release/order.mjs';
import { originFrom } from '../../../scripts/release/origin.mjs';
import { packagesOf } from '../../../scripts/release/project.mjs';
import { publishedReadme } from '../../../scripts/release/readme.mjs';
import { root, workspacePackages } from '../../../scripts/workspace.mjs';

const kinds = new Map<string, 'file' | 'folder'>([
  ['docs/a b.md', 'file'],
  ['docs/picture.svg', 'file'],
  ['examples', 'folder'],
  ['packages/core/README.md', 'file'],
]);

const published = {
  origin: 'https://host.test/x',
  tag: 'v1.2.3',
  directory: 'packages/mutex',
  kindOf: (path: string) => kinds.get(path),
  isPacked: (path: string) => path === 'LICENSE',
};

test('a link out of the package points to the page at the origin, at the tag of the release', () => {
  expect(publishedReadme('[a](../core/README.md#when-a-worker-dies)', published)).toBe(
    '[a](https://host.test/x/blob/v1.2.3/packages/core/README.md#when-a-worker-dies)',
  );
  expect(publishedReadme('[a](../../docs/a%20b.md)', published)).toBe(
    '[a](https://host.test/x/blob/v1.2.3/docs/a%20b.md)',
  );
});

test('a link to a folder points to the folder, and the source of a picture to its bytes', () => {
  expect(publishedReadme('[a](../../examples/) ![b](../../docs/picture.svg)', published)).toBe(
    '[a](https://host.test/x/tree/v1.2.3/examples) ![b](https://host.test/x/raw/v1.2.3/docs/picture.svg)',
  );
});

test('links to headings, to packed files and to other sites stay unchanged', () => {
  const text = '[a](#part) [b](LICENSE) [c](./LICENSE) [d](https://example.org/x.md) `[e](../core/README.md)`';
  expect(publishedReadme(text, published)).toBe(text);
});

test('a link to a missing file in the repository throws', () => {
  expect(() => publishedReadme('[a](../missing.md)', published)).toThrow(
    'packages/mutex/README.md: link to ../missing.md: no such file',
  );
});

test('a manifest names its folder, and its family at the released version', () => {
  const manifest = {
    name: '@sluice/mutex',
    version: '0.1.0',
    files: ['dist'],
    dependencies: { '@sluice/core': '0.1.0', other: '^3.0.0' },
  };
  const release = { origin: published.origin, directory: published.directory, version: '1.2.3' };
  expect(publishedManifest(manifest, release)).toEqual({
    name: '@sluice/mutex',
    version: '1.2.3',
    publishConfig: { access: 'public', provenance: true },
    files: ['dist', 'NOTICE.md', 'CHANGELOG.md'],
    dependencies: { '@sluice/core': '1.2.3', other: '^3.0.0' },
    repository: { type: 'git', url: 'git+https://host.test/x.git', directory: 'packages/mutex' },
    homepage: 'https://host.test/x/tree/HEAD/packages/mutex#readme',
    bugs: { url: 'https://host.test/x/issues' },
  });
});

test('the origin is a placeholder until a release sets it', () => {
  expect(originFrom([]).isPlaceholder).toBe(true);
  expect(originFrom(['--origin=https://host.test/x.git'])).toEqual({
    origin: 'https://host.test/x',
    isPlaceholder: false,
  });
  expect(() => originFrom(['--origin=host.test/x'])).toThrow('Received: host.test/x');
});

test('a block of commands has one per line, and a comment may name an alternative', () => {
  expect(commandsOf('# first\nnpm install @sluice/a redis     # or: @sluice/a ioredis\n\nnode a.mjs')).toEqual([
    'npm install @sluice/a redis     # or: @sluice/a ioredis',
    'node a.mjs',
  ]);
  expect(otherWay('npm install @sluice/a redis     # or: @sluice/a ioredis')).toBe('@sluice/a ioredis');
  expect(otherWay('npm install @sluice/a # now')).toBe(undefined);
  expect(otherWay('node --import @sluice/a app.js # or: --import @sluice/b')).toBe(undefined);
});

test('a project installs first and runs the other commands afterwards, without those that need more than the project has', () => {
  const commands = ['A_B=5 node app.js', 'npm test', "C='--import x' npx vitest run", 'npm install a', 'npx a app.js'];
  expect(commandsToRun(commands)).toEqual(['npm install a', 'A_B=5 node app.js', 'npx a app.js']);
});

test('a release runs each block and command of every README, or says why it does not', () => {
  const readmes = workspacePackages(['packages'])
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ directory, manifest: { name } }) => ({ name, readme: readFileSync(join(directory, 'README.md'), 'utf8') }));
  const present = new Set(['README.md', ...readmes.map(({ name }) => name)]);
  const ledger = new Ledger(NOT_RUN.filter(({ readme }) => present.has(readme)));
  for (const { name, readme } of readmes) {
    const run = commandsToRun(commandsIn(readme));
    noteOthers(name, readme, ledger, (command) => run.includes(command));
  }
  const whole = readFileSync(join(root, 'README.md'), 'utf8');
  const fromSource = commandsOf(blockBelow(whole, HEADING).code);
  noteOthers('README.md', whole, ledger, (command) => fromSource.includes(command));
  expect(ledger.close()).toContain('not run, on purpose');
});

test('a command that a release does not run needs a reason, and a reason without a block is reported', () => {
  const fence = '```';
  const readme = [
    `${fence}js run`,
    'run();',
    fence,
    `${fence}ts`,
    'excerpt();',
    fence,
    `${fence}sh`,
    'npm install a',
    'npm start',
    fence,
  ].join('\n');
  const runs = (command: string): boolean => command.startsWith('npm install');
  const excerpt = { readme: 'a', starts: 'excerpt();', why: 'an excerpt' };
  const start = { readme: 'a', starts: 'npm start', why: 'a checkout' };

  const complete = new Ledger([excerpt, start]);
  noteOthers('a', readme, complete, runs);
  expect(complete.close()).toContain('a: npm start  (a checkout)');
  expect(() => noteOthers('a', readme, new Ledger([excerpt]), runs)).toThrow('a:7: no release runs this');
  expect(() => noteOthers('b', readme, new Ledger([excerpt, start]), runs)).toThrow('b:4: no release runs this');
  const output = new Ledger([]);
  noteOthers('a', `${fence}text\nwhat a program prints\n${fence}`, output, runs);
  expect(output.close()).toBe('not run, on purpose:\n');
  expect(() => new Ledger([excerpt]).close()).toThrow('lists what no README has: a: excerpt();');
});

test('the imports of a snippet are its packages, without those in comments', () => {
  const code =
    "import { once } from 'node:events';\nimport {\n  a,\n} from '@sluice/a'; // was: from 'p-limit'\nimport { b } from './b.mjs';\n";
  expect(packagesOf(code)).toEqual(['@sluice/a']);
});

test('the commands of a section are the first block below its heading', () => {
  const fence = '```';
  const readme = [
    `${fence}sh`,
    'first',
    fence,
    '## Use',
    `${fence}js`,
    'code',
    fence,
    `${fence}sh`,
    'second',
    fence,
  ].join('\n');
  expect(blockBelow(readme, '## Use').code).toBe('second');
  expect(() => blockBelow(readme, '## Gone')).toThrow("no commands below '## Gone'");
});

test('a package is published after its dependencies, and a circle throws', () => {
  const one = (name: string, ...needs: string[]) => ({
    directory: name,
    manifest: { name, dependencies: Object.fromEntries(needs.map((need) => [need, '1.0.0'])) },
  });
  const ordered = publishOrder([one('pool', 'mutex', 'core'), one('mutex', 'core', 'outside'), one('core')]);
  expect(ordered.map(({ directory }) => directory)).toEqual(['core', 'mutex', 'pool']);
  expect(() => publishOrder([one('a', 'b'), one('b', 'a')])).toThrow('in a circle: a, b');
});

test('a packed page may link only to its own headings and to packed files with relative links', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-release-test-'));
  try {
    writeFileSync(join(folder, 'LICENSE'), '');
    writeFileSync(
      join(folder, 'README.md'),
      '# Part\n[a](#part) [b](LICENSE) [c](https://host.test/x) [d](../core/README.md) [e](#gone)\n',
    );
    expect(deadLinks(folder, 'README.md')).toEqual(['../core/README.md', '#gone']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
