import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deadLinks } from '../../../scripts/release/inspect.mjs';
import { publishedManifest } from '../../../scripts/release/manifest.mjs';
import { installArguments } from '../../../scripts/release/newcomer.mjs';
import { publishOrder } from '../../../scripts/release/order.mjs';
import { originFrom } from '../../../scripts/release/origin.mjs';
import { publishedReadme } from '../../../scripts/release/readme.mjs';

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

test('a link out of the package names the page at the origin, at the tag of the release', () => {
  expect(publishedReadme('[a](../core/README.md#when-a-worker-dies)', published)).toBe(
    '[a](https://host.test/x/blob/v1.2.3/packages/core/README.md#when-a-worker-dies)',
  );
  expect(publishedReadme('[a](../../docs/a%20b.md)', published)).toBe('[a](https://host.test/x/blob/v1.2.3/docs/a%20b.md)');
});

test('a link to a folder shows the folder, and a picture is its own bytes', () => {
  expect(publishedReadme('[a](../../examples/) ![b](../../docs/picture.svg)', published)).toBe(
    '[a](https://host.test/x/tree/v1.2.3/examples) ![b](https://host.test/x/raw/v1.2.3/docs/picture.svg)',
  );
});

test('links to headings, to packed files and to other sites stay', () => {
  const text = '[a](#part) [b](LICENSE) [c](./LICENSE) [d](https://example.org/x.md) `[e](../core/README.md)`';
  expect(publishedReadme(text, published)).toBe(text);
});

test('a link that leads nowhere in the repository is an error', () => {
  expect(() => publishedReadme('[a](../missing.md)', published)).toThrow('packages/mutex/README.md: link to ../missing.md: no such file');
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
    files: ['dist', 'NOTICE.md', 'CHANGELOG.md'],
    dependencies: { '@sluice/core': '1.2.3', other: '^3.0.0' },
    repository: { type: 'git', url: 'git+https://host.test/x.git', directory: 'packages/mutex' },
    homepage: 'https://host.test/x/tree/HEAD/packages/mutex#readme',
    bugs: { url: 'https://host.test/x/issues' },
  });
});

test('the origin is a placeholder until a release sets it', () => {
  expect(originFrom([]).isPlaceholder).toBe(true);
  expect(originFrom(['--origin=https://host.test/x.git'])).toEqual({ origin: 'https://host.test/x', isPlaceholder: false });
  expect(() => originFrom(['--origin=host.test/x'])).toThrow('Received: host.test/x');
});

test('a newcomer installs what the README says, without its remark', () => {
  expect(installArguments('# A\n\nnpm install @sluice/a redis     # or: ioredis\n')).toEqual(['@sluice/a', 'redis']);
  expect(installArguments('# A\n')).toEqual([]);
});

test('a package is published after those that it depends on, and a circle is an error', () => {
  const one = (name: string, ...needs: string[]) => ({
    directory: name,
    manifest: { name, dependencies: Object.fromEntries(needs.map((need) => [need, '1.0.0'])) },
  });
  const ordered = publishOrder([one('pool', 'mutex', 'core'), one('mutex', 'core', 'outside'), one('core')]);
  expect(ordered.map(({ directory }) => directory)).toEqual(['core', 'mutex', 'pool']);
  expect(() => publishOrder([one('a', 'b'), one('b', 'a')])).toThrow('in a circle: a, b');
});

test('a packed page may link to its own headings and to packed files, and to nothing else by a relative link', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-release-test-'));
  try {
    writeFileSync(join(folder, 'LICENSE'), '');
    writeFileSync(join(folder, 'README.md'), '# Part\n[a](#part) [b](LICENSE) [c](https://host.test/x) [d](../core/README.md) [e](#gone)\n');
    expect(deadLinks(folder, 'README.md')).toEqual(['../core/README.md', '#gone']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
