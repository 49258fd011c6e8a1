// docs/new-primitive.md shows this package. Each text that it quotes must be in this package, or in the part of the
// core's kernel that the latch uses.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const src = new URL('../src/', import.meta.url);
const files = ['', 'kernel/'].flatMap((folder) =>
  readdirSync(new URL(folder, src))
    .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
    .map((name) => new URL(folder + name, src)),
);
/** The core's `poll` and `cancel`, which the latch uses. */
files.push(new URL('../../core/src/kernel/admitted.ts', import.meta.url));
const source = files.map((file) => normal(readFileSync(file, 'utf8'))).join('\n');
const page = readFileSync(new URL('../../../docs/new-primitive.md', import.meta.url), 'utf8');
const snippets = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);

/** Returns the text without the white space that depends on line breaks. */
function normal(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/,? ([)\]}])/g, '$1')
    .replaceAll(/([([{]) /g, '$1')
    .trim();
}

test.each(snippets.map((text) => [text.trim().split('\n')[0], text] as const))(
  'docs/new-primitive.md quotes the source: %s',
  (_, text) => {
    expect(source).toContain(normal(text));
  },
);

test('docs/new-primitive.md names no word, flag or result that the sources lack', () => {
  const folders = ['core/src/', 'core/test/model/', 'barrier/src/'].map(
    (folder) => new URL(`../../${folder}`, import.meta.url),
  );
  const sources = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(new URL(name, folder), 'utf8')),
  );
  const known = new Set(sources.flatMap((text) => text.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []));
  const named = [...page.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !known.has(name) && name !== 'NAME')).toEqual([]);
  expect(named.length).toBeGreaterThan(50);
});

test('docs/new-primitive.md has snippets', () => {
  expect(snippets.length).toBeGreaterThan(5);
});
