// @ts-check
// The test files of a folder, and what they say of themselves. web-platform-tests, "testharness.js tests":
// https://web-platform-tests.org/writing-tests/testharness.html
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Where a file runs: in the main thread, or in a worker thread. @typedef {'window' | 'worker'} Scope */
/**
 * A script that a file loads, or a part of it. @typedef {{ readonly url: string } | { readonly text: string }} Script
 */

/**
 * @typedef {object} TestFile
 * @property {readonly Scope[]} scopes
 * @property {readonly Script[]} scripts in the order in which they run, without those of the harness
 */

/** Of the harness itself, which the runner loads first. */
const HARNESS = ['/resources/testharness.js', '/resources/testharnessreport.js'];
/** Folders with what test files load. */
const HELPERS = ['resources', 'support'];

/** The names of the test files below a folder, with `/`. @param {string} folder */
export function findFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep))
    .filter((path) => !path.slice(0, -1).some((part) => HELPERS.includes(part)))
    .map((path) => path.join('/'))
    .filter((name) => /\.(any|window)\.js$|\.html$/.test(name))
    .sort();
}

/** @param {string} name @param {string} source @returns {TestFile} */
export function parseFile(name, source) {
  if (name.endsWith('.html')) return { scopes: ['window'], scripts: scriptsOf(source) };
  const meta = metaOf(source);
  const scripts = meta.filter(({ key }) => key === 'script').map(({ value }) => ({ url: value }));
  return { scopes: name.endsWith('.window.js') ? ['window'] : scopesOf(meta), scripts: [...scripts, { text: source }] };
}

/** The `// META: key=value` lines at the head of a file. @param {string} source */
function metaOf(source) {
  const meta = [];
  for (const line of source.split('\n')) {
    const [, key, value] = /^\/\/\s*META:\s*(\w+)=(.*)$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) meta.push({ key, value: value.trim() });
    else if (line.trim() !== '' && !line.startsWith('//')) break;
  }
  return meta;
}

/** @param {readonly { key: string, value: string }[]} meta @returns {Scope[]} */
function scopesOf(meta) {
  const globals = meta.filter(({ key }) => key === 'global').flatMap(({ value }) => value.split(','));
  if (globals.length === 0) return ['window', 'worker'];
  /** @type {Scope[]} */
  const scopes = [];
  if (globals.includes('window')) scopes.push('window');
  if (globals.includes('worker') || globals.includes('dedicatedworker')) scopes.push('worker');
  return scopes;
}

/** The script elements of a page. @param {string} page @returns {Script[]} */
function scriptsOf(page) {
  /** @type {Script[]} */
  const scripts = [];
  for (const [, attributes = '', text = ''] of page.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)) {
    const url = /\bsrc=["']?([^"'\s>]+)/.exec(attributes)?.[1];
    if (url === undefined) scripts.push({ text });
    else if (!HARNESS.includes(url)) scripts.push({ url });
  }
  return scripts;
}
