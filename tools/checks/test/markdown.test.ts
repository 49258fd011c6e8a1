import { expect, test } from 'vitest';
import { anchors, localLinks, runnableSnippets } from '../src/markdown.mjs';

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
  expect(runnableSnippets(text)).toEqual([{ line: 1, language: 'ts', code: 'one();' }]);
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
