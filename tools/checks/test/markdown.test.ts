import { expect, test } from 'vitest';
import { anchors, fencesOfFiles, localLinks, runnableSnippets, withLocalLinks } from '../src/markdown.mjs';

const fence = '```';

test('only TypeScript and JavaScript fences marked run are snippets', () => {
  const text = [
    `${fence}ts run`,
    'one();',
    fence,
    `${fence}ts`,
    'two();',
    fence,
    `${fence}sh run`,
    'three',
    fence,
  ].join('\n');
  expect(runnableSnippets(text)).toEqual([{ line: 1, language: 'ts', code: 'one();', needs: undefined }]);
});

test('a snippet names the server that it needs', () => {
  expect(runnableSnippets([`${fence}js run needs=redis`, 'one();', fence].join('\n'))).toEqual([
    { line: 1, language: 'js', code: 'one();', needs: 'redis' },
  ]);
});

test('a fence inside a longer fence belongs to the longer one', () => {
  const text = [`${fence}\`md`, `${fence}js run`, 'one();', fence, `${fence}\``].join('\n');
  expect(runnableSnippets(text)).toEqual([]);
});

test('local links are those without a scheme, outside code', () => {
  const text = [
    '[a](docs/a.md "title") [b](https://example.org) ![c](c.svg) `[d](d.md)` [e](#part)',
    fence,
    '[f](f.md)',
    fence,
    '[g]: g.md',
  ].join('\n');
  expect(localLinks(text)).toEqual(['docs/a.md', 'c.svg', '#part', 'g.md']);
});

test('anchors follow the headings, repeated ones numbered', () => {
  expect(anchors('# A `b`, c!\n## Part\ntext\n## Part\n')).toEqual(new Set(['a-b-c', 'part', 'part-1']));
});

test('local links are replaced in place, and code is left unchanged', () => {
  const text = [
    '# A\n\n[`a`](a.md "title"), ![b](<b.svg>) and [a](a.md) `[a](a.md)` [e](https://example.org) [same](#a)',
    `${fence}js run`,
    '[a](a.md)',
    fence,
    '[a]: a.md',
  ].join('\n');
  expect(withLocalLinks(text, (target) => `<${target}>`.toUpperCase())).toBe(
    [
      '# A\n\n[`a`](<A.MD> "title"), ![b](<<B.SVG>>) and [a](<A.MD>) `[a](a.md)` [e](https://example.org) [same](<#A>)',
      `${fence}js run`,
      '[a](a.md)',
      fence,
      '[a]: <A.MD>',
    ].join('\n'),
  );
});

test('a fence that names a file shows that file', () => {
  const text = [`${fence}js from=a/b.js`, 'one();', '', 'two();', fence, `${fence}js`, 'three();', fence].join('\n');
  expect(fencesOfFiles(text)).toEqual([{ line: 1, path: 'a/b.js', to: undefined, code: 'one();\n\ntwo();\n' }]);
});
