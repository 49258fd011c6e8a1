// @ts-check
// The code that documents show from files of the repository. The first line of the fence names the file, a heading of a
// document above the code, or two files of which the fence shows the difference:
//
//   ```js from=examples/recipes/server/main.mjs
//   ```js from=README.md#a-lock-over-all-workers
//   ```diff from=examples/migrating/p-limit/before.mjs to=examples/migrating/p-limit/after.mjs
//
// scripts/shown-code.mjs writes the code into the documents, so that they can be read without the site. check-docs
// compares.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/workspace.mjs';
import { diff } from './diff.mjs';
import { codeBelow, fencesOfFiles } from './markdown.mjs';

const FENCE_OF_FILES = /^(`{3,})(\w+) from=(\S+)(?: to=(\S+))?\n[^]*?^\1$/gm;
/** A file with its name above it. */
const NAMED_FILE = /^`([^`\n]+)`:\n\n(`{3,})(\w+) from=\S+\n([^]*?)^\2$\n*/gm;
const NAMED_FILES = new RegExp(`(?:${NAMED_FILE.source}){2,}`, 'gm');

/** @param {string} path */
const fileOf = (path) => join(root, path.split('#')[0] ?? '');

/**
 * @param {string} path in the repository, and after `#` the anchor of a heading
 * @returns {string | undefined}
 */
function read(path) {
  if (!existsSync(fileOf(path))) return undefined;
  const text = readFileSync(fileOf(path), 'utf8');
  const [, anchor] = path.split('#');
  return anchor === undefined ? text : codeBelow(text, anchor);
}

/**
 * @param {string} path
 * @param {string | undefined} to
 * @returns {string | undefined} undefined if a file or a heading is missing
 */
function codeOf(path, to) {
  const code = read(path);
  const changed = to === undefined ? undefined : read(to);
  if (to === undefined || code === undefined) return code;
  return changed === undefined ? undefined : `${diff(code, changed)}\n`;
}

/**
 * Returns the document with the code of its fences as the files have it.
 * @param {string} text
 */
export const withShownCode = (text) =>
  text.replaceAll(FENCE_OF_FILES, (whole, fence, language, path, to) => {
    const code = codeOf(path, to);
    const names = to === undefined ? `from=${path}` : `from=${path} to=${to}`;
    return code === undefined ? whole : `${fence}${language} ${names}\n${code}${fence}`;
  });

/**
 * @param {{ name: string, text: string }} document
 * @returns {string[]}
 */
export function shownCodeProblems({ name, text }) {
  return fencesOfFiles(text).flatMap(({ line, path, to, code }) => {
    const names = to === undefined ? path : `the difference of ${path} and ${to}`;
    const expected = codeOf(path, to);
    if (expected === undefined) return [`${name}:${line}: shows ${names}: no such file or heading`];
    return expected === code ? [] : [`${name}:${line}: differs from ${names}: run node scripts/shown-code.mjs`];
  });
}

/**
 * Returns the page with neighbouring files as tabs of one block, for the site.
 * @param {string} text
 */
export const withTabs = (text) =>
  text.replaceAll(NAMED_FILES, (files) => {
    const tabs = files.replaceAll(
      NAMED_FILE,
      (_, name, fence, language, code) => `${fence}${language} [${name}]\n${code}${fence}\n\n`,
    );
    return `::: code-group\n\n${tabs}:::\n\n`;
  });
