// @ts-check
// What a newcomer does: installs by name as the README says, imports, and runs the README's first snippet.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { runnableSnippets } from '../../tools/checks/src/markdown.mjs';
import { npm, run } from './command.mjs';
import { ofOurScope } from './registry.mjs';
import { versionOf } from './versions.mjs';

const MOST_RUN_MS = 60_000;

/**
 * @param {string} readme
 * @returns {string[]} what the README installs
 */
export function installArguments(readme) {
  const [, line = ''] = /^npm install ([^#\n]+)/m.exec(readme) ?? [];
  return line.trim().split(/\s+/).filter((word) => word !== '');
}

/** @typedef {{ url: string, scratch: string, version: string }} Place */

/**
 * @param {string} folder
 * @param {readonly string[]} wanted
 * @param {Place} place
 */
function install(folder, wanted, { url, scratch, version }) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "newcomer", "private": true }\n');
  npm(['install', ...wanted, ofOurScope(url), '--cache', join(scratch, 'npm-cache')], folder);
  const family = join(folder, 'node_modules', '@sluice');
  for (const name of readdirSync(family)) {
    const got = versionOf(join(family, name));
    if (got !== version) throw new Error(`${wanted.join(' ')}: installed @sluice/${name} ${got}, not ${version}`);
  }
}

/**
 * @param {string} folder
 * @param {readonly string[]} names
 */
function importEach(folder, names) {
  const check = `for (const [name, { length }] of Object.entries(found)) if (length === 0) throw new Error(name + ' exports nothing');`;
  const list = JSON.stringify(names);
  writeFileSync(join(folder, 'esm.mjs'), `const found = {}; for (const name of ${list}) found[name] = Object.keys(await import(name)); ${check}\n`);
  writeFileSync(join(folder, 'cjs.cjs'), `const found = {}; for (const name of ${list}) found[name] = Object.keys(require(name)); ${check}\n`);
  for (const file of ['esm.mjs', 'cjs.cjs']) run(execPath, [file], folder, MOST_RUN_MS);
}

/**
 * @param {string} name
 * @param {string} readme
 * @param {Place} place
 * @returns {string} what was done
 */
export function installAlone(name, readme, place) {
  const wanted = installArguments(readme);
  if (!wanted.includes(name)) throw new Error(`${name}: the README does not say \`npm install ${name}\``);
  const folder = join(place.scratch, 'alone', name.replace('/', '-'));
  install(folder, wanted, place);
  importEach(folder, [name]);
  const snippet = runnableSnippets(readme).find(({ language }) => language.includes('js') || language === 'javascript');
  if (snippet === undefined) return `${name}: installed, imported, no snippet`;
  writeFileSync(join(folder, 'snippet.mjs'), snippet.code);
  run(execPath, ['snippet.mjs'], folder, MOST_RUN_MS);
  return `${name}: installed, imported, snippet of line ${snippet.line} run`;
}

/**
 * @param {readonly string[]} names
 * @param {Place} place
 */
export function installTogether(names, place) {
  const folder = join(place.scratch, 'together');
  install(folder, names, place);
  importEach(folder, names);
}
