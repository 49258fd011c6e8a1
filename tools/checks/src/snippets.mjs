// @ts-check
// What it takes to run a snippet: JavaScript, and the servers that it needs.
import { transform } from 'esbuild';

/** @typedef {{ env: Record<string, string>, stop: () => Promise<void> }} Needed */

/**
 * @param {{ language: string, code: string }} snippet
 * @param {string} where what stack traces name
 */
export async function javascriptOf({ language, code }, where) {
  const loader = language.startsWith('t') ? 'ts' : 'js';
  return (await transform(code, { loader, target: 'es2022', sourcemap: 'inline', sourcefile: where })).code;
}

/** @returns {Promise<Needed | undefined>} */
async function redis() {
  // Not there where a copy of the repository has no package that uses a server.
  const { findServer, startServer } = await import('../../redis-server/src/index.mjs');
  const found = findServer();
  if (found.kind === 'none') return undefined;
  if (found.kind === 'url') return { env: { REDIS_URL: found.url }, stop: () => Promise.resolve() };
  const server = await startServer({ program: found });
  return { env: { REDIS_URL: server.url }, stop: () => server.stop() };
}

/** @returns {Promise<Needed | undefined>} */
async function postgres() {
  const { findServer, startServer } = await import('../../postgres-server/src/index.mjs');
  const found = findServer();
  if (found.kind === 'none') return undefined;
  if (found.kind === 'url') return { env: { DATABASE_URL: found.url }, stop: () => Promise.resolve() };
  const server = await startServer({ program: found });
  return { env: { DATABASE_URL: server.url }, stop: () => server.stop() };
}

const STARTERS = new Map([
  ['redis', redis],
  ['postgres', postgres],
]);

/**
 * Starts the servers that snippets name by `needs=`. One that cannot be had here is missing in the result.
 * @param {readonly string[]} names
 * @returns {Promise<Map<string, Needed>>}
 */
export async function startNeeded(names) {
  /** @type {Map<string, Needed>} */
  const started = new Map();
  for (const name of new Set(names)) {
    const start = STARTERS.get(name);
    if (start === undefined)
      throw new Error(
        `A snippet needs '${name}', which no check can start: known are ${[...STARTERS.keys()].join(', ')}.`,
      );
    const needed = await start();
    if (needed !== undefined) started.set(name, needed);
  }
  return started;
}
