// Reads the tables of words from the layout files of all packages: each heading says which object has the words below
// it (src/kernel/layout.ts). Finds two names for the same bytes of one object.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));

/** A word with its place in its object. */
interface Word {
  readonly name: string;
  readonly at: number;
  readonly bytes: number;
}

/** The object that a heading names. `beside`: the other objects whose words it has, too. */
interface Table {
  readonly words: Word[];
  readonly beside: readonly string[];
}

interface Layout {
  readonly tables: ReadonlyMap<string, Table>;
  /** Constants below "Values". */
  readonly values: ReadonlySet<string>;
  /** Constants below no heading, and headings that cannot be read. */
  readonly faults: readonly string[];
}

/** Returns the name of an object without its article: headings say "a line" and "those of one of the lines behind". */
function bare(name: string): string {
  return name.trim().replace(/^(?:an?|the) /, '');
}

/** Returns the comments of a file, each joined to one line, and its constants. */
function linesOf(text: string): string[] {
  return text
    .replaceAll(/^(\/\/ .*)((?:\n\/\/ (?!Words of |Values).*)+)/gm, (_, first: string, more: string) => {
      return first + more.replaceAll('\n//', '');
    })
    .split('\n');
}

function bytesOf(comment: string): number {
  if (comment.startsWith('i64')) return 8;
  return Number(/^(\d+) bytes: /.exec(comment)?.[1] ?? 4);
}

function readLayout(texts: readonly string[]): Layout {
  const tables = new Map<string, Table>();
  const values = new Set<string>();
  const faults: string[] = [];
  for (const text of texts) {
    let below: Word[] | Set<string> | undefined;
    let above = '';
    for (const line of linesOf(text)) {
      // A long comment stands above its constant.
      const before = above;
      above = line.startsWith('// ') ? line.slice('// '.length) : '';
      const heading = /^\/\/ Words of ([^.:]+?)(?:, beside those of ([^.:]+?))?(?: \([\w., ]+\))?[.:]/.exec(line);
      if (heading !== null) {
        const beside = (heading[2] ?? '')
          .split(/ and of |, of /)
          .filter((name) => name !== '')
          .map(bare);
        const name = bare(heading[1] ?? '');
        if (tables.has(name)) faults.push(`two headings of ${name}`);
        tables.set(name, { words: (below = []), beside });
      } else if (line.startsWith('// Values')) below = values;
      else if (line.startsWith('// Words')) faults.push(line);
      const word = /^export const (\w+)(?:: i32)? = (-?[\w]+);(?: *\/\/ *(.*))?/.exec(line);
      if (word === null) continue;
      const [, name = '', at = '', comment = before] = word;
      // It names a part of another word.
      if (comment.startsWith('the high half of ')) continue;
      if (below === undefined) faults.push(`${name} stands below no heading`);
      else if (below === values) values.add(name);
      else (below as Word[]).push({ name, at: Number(at), bytes: bytesOf(comment) });
    }
  }
  return { tables, values, faults };
}

/** Returns all words of an object, each once, including those of the objects that it stands beside. */
function wordsOf(name: string, { tables }: Layout): Set<Word> {
  const table = tables.get(name);
  if (table === undefined) throw new Error(`No heading names "${name}".`);
  return new Set([
    ...table.words,
    ...table.beside.flatMap((each) => [...wordsOf(each, { tables, values: new Set(), faults: [] })]),
  ]);
}

/** Returns the pairs of names that share bytes of one object. */
function shared(layout: Layout): string[] {
  return [...layout.tables.keys()].flatMap((table) => {
    const words = [...wordsOf(table, layout)].sort((a, b) => a.at - b.at);
    return words.slice(1).flatMap((word, index) => {
      const before = words[index];
      return before !== undefined && before.at + before.bytes > word.at
        ? [`${table}: ${before.name} and ${word.name}`]
        : [];
    });
  });
}

const folders = readdirSync(PACKAGES).filter((name) => existsSync(join(PACKAGES, name, 'src')));
const layout = readLayout(
  folders
    .flatMap((name) =>
      readdirSync(join(PACKAGES, name, 'src'), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(PACKAGES, name, 'src', path),
      ),
    )
    .filter((path) => path.split(sep).slice(-2).join('/') === 'kernel/layout.ts')
    .map((path) => readFileSync(path, 'utf8')),
);
const allWords = [...layout.tables.values()].flatMap(({ words }) => words);

/** Returns the sources of all packages, without the layout files. */
const sources = folders.flatMap((name) =>
  readdirSync(join(PACKAGES, name, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('layout.ts') && !path.endsWith('.generated.ts'))
    .map((path) => ({ path: `${name}/src/${path}`, text: readFileSync(join(PACKAGES, name, 'src', path), 'utf8') })),
);

/**
 * Words that a 64-bit operation accesses together with the next word: AGENT_RECLAIMER (kernel/recovery-steps.ts),
 * SUCCEEDS_SINCE (@sluice/mutex).
 */
const PAIRS = new Set(['OWNER', 'SUCCEEDS']);

/** Returns the names of the words that an operation of that many bits reads or writes. */
function accessed(bits: number): Set<string> {
  const operation = new RegExp(
    `\\b(?:load|store|add|cas|exchange|get|put)${bits}\\((?:[^(),]|\\([^()]*\\))*?(?:\\+ )?\\b([A-Z][A-Z_]+)(?=[,)])`,
    'g',
  );
  return new Set(sources.flatMap(({ text }) => [...text.matchAll(operation)].map(([, name = '']) => name)));
}

test('each constant of a layout is below a heading', () => {
  expect(layout.faults).toEqual([]);
  expect(allWords.length).toBeGreaterThan(70);
});

test('no two words of one object share a byte', () => {
  expect(shared(layout)).toEqual([]);
});

test('each operation reads or writes a word, which has 8 bytes for an operation of 64 bits', () => {
  const wide = accessed(64);
  const narrow = accessed(32);
  expect(
    [...wide, ...narrow].filter((name) => layout.values.has(name) && !allWords.some((word) => word.name === name)),
  ).toEqual([]);
  expect(allWords.filter(({ name, bytes }) => wide.has(name) && bytes !== 8 && !PAIRS.has(name))).toEqual([]);
  expect(wide.size).toBeGreaterThan(15);
});

test('no source renames a word', () => {
  const names = new Set(allWords.map(({ name }) => name));
  const aliases = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\bconst (\w+)(?:: \w+)? = ([A-Z][A-Z_]+)(?: [-+] \w+)?;/g)]
      .filter(([, , word = '']) => names.has(word))
      .map(([alias]) => `${path}: ${alias}`),
  );
  expect(aliases).toEqual([]);
});

test('the check reports a word that extends into the next one', () => {
  const text = '// Words of a thing.\nexport const FIRST: i32 = 0; // i64\nexport const SECOND: i32 = 4;\n';
  expect(shared(readLayout([text]))).toEqual(['thing: FIRST and SECOND']);
  const more =
    '// Words of a thing.\nexport const FIRST: i32 = 0;\n\n// Words of a part, beside those of a thing.\nexport const SECOND: i32 = 2;\n';
  expect(shared(readLayout([more]))).toEqual(['part: FIRST and SECOND']);
  expect(readLayout(['export const NOWHERE: i32 = 0;\n']).faults).toEqual(['NOWHERE stands below no heading']);
});
