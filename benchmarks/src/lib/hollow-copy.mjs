// @ts-check
// Copies of built files that cost what it takes to read them, or to read and parse them, and do nothing. A scenario
// tells by them what a start consists of.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A statement that imports or exports names, as a bundler writes it: from the beginning of a line. */
const STATEMENT = /^(?:import|export) (?:\{[^}]*\}(?: from '([^']+)')?|'([^']+)');$/gm;

/**
 * What becomes of the code of a file.
 *
 * - `comments`: V8 skips it.
 * - `function`: V8 parses it as the body of a function without a caller, with all functions inside.
 * @type {Readonly<Record<'comments' | 'function', (code: string) => string>>}
 */
const HOLLOW = {
  comments: (code) => code.replaceAll(/^/gm, '//'),
  function: (code) => `function all() {\n${code}\n}`,
};

/**
 * Copies an ES module and the files of its folder that it imports, directly or indirectly.
 * @param {string} entry a URL
 * @param {keyof typeof HOLLOW} kind
 * @returns {{ url: string, files: number, remove: () => void }} `url`: of the copy of `entry`
 */
export function hollowCopy(entry, kind) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hollow-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const first = fileURLToPath(entry);
  /** @type {Set<string>} */
  const done = new Set();
  /** @param {string} file */
  const copy = (file) => {
    if (done.has(file)) return;
    done.add(file);
    const text = readFileSync(file, 'utf8');
    const imported = [...text.matchAll(STATEMENT)].flatMap(([, from, bare]) => from ?? bare ?? []);
    const own = [...new Set(imported)].filter((path) => path.startsWith('./'));
    const imports = own.map((path) => `import '${path}';\n`).join('');
    const code = text.replaceAll(STATEMENT, '');
    writeFileSync(join(folder, basename(file)), `${imports}${HOLLOW[kind](code)}\n`);
    for (const path of own) copy(join(dirname(file), path));
  };
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    copy(first);
  } catch (failure) {
    remove();
    throw failure;
  }
  return { url: pathToFileURL(join(folder, basename(first))).href, files: done.size, remove };
}
