// @ts-check
// What a server of web-platform-tests has under an address: the files of the checkout, and the harness and the
// interface definitions from npm.
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

export const ORIGIN = 'https://web-platform.test';

/** Modules of packages, by their address. @type {Readonly<Record<string, string>>} */
const PACKAGED = {
  '/resources/testharness.js': 'wpt-runner/testharness/testharness.js',
  '/resources/idlharness.js': 'wpt-runner/testharness/idlharness.js',
  '/resources/WebIDLParser.js': 'wpt-runner/testharness/webidl2.js',
};

/**
 * The text under a path such as `/web-locks/resources/helpers.js`. Throws if there is none.
 * @param {string} root the checkout
 * @param {string} pathname
 */
export function readSource(root, pathname) {
  const file = fileOf(root, pathname);
  if (file === undefined) throw new Error(`${pathname} is not there: it was loaded by a test.`);
  return readFileSync(file, 'utf8');
}

/** @param {string} root @param {string} pathname */
function fileOf(root, pathname) {
  const packaged = PACKAGED[pathname];
  if (packaged !== undefined) return require.resolve(packaged);
  const [, spec] = /^\/interfaces\/([\w.-]+\.idl)$/.exec(pathname) ?? [];
  const file = spec === undefined ? join(root, decodeURIComponent(pathname)) : require.resolve(`@webref/idl/${spec}`);
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? file : undefined;
}
