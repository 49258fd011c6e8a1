// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Entries for the other packages of this workspace. */
const NOT_PUBLIC = new Set(['calls', 'format', 'internal', 'kernel', 'report', 'steps']);
/** The packages whose entry `js` is for programs. Those of the other packages bring steps to it. */
export const WITH_ENGINE = ['core', 'sluice'];

/** Where an entry's source has another name. */
const SOURCES = new Map([
  ['format', 'kernel/format'],
  ['kernel', 'kernel/parts'],
  ['sluice-pool-worker', 'worker'],
]);

/**
 * @typedef {{ name: string, source: string, isPublic: boolean }} Entry `source`: a path below `src`, without its
 *   extension
 */

/**
 * The files that a package's manifest offers with types.
 * @param {string} directory
 * @returns {Entry[]}
 */
export function entriesOf(directory) {
  const manifest = readFileSync(join(directory, 'package.json'), 'utf8');
  const names = new Set([...manifest.matchAll(/"\.\/dist\/([\w-]+)\.d\.ts"/g)].map(([, name = '']) => name));
  return [...names].map((name) => {
    const source = SOURCES.get(name) ?? name;
    if (!existsSync(join(directory, 'src', `${source}.ts`)))
      throw new Error(`${directory}: no source of the entry '${name}'`);
    return {
      name,
      source,
      isPublic: !NOT_PUBLIC.has(name) && (name !== 'js' || WITH_ENGINE.includes(basename(directory))),
    };
  });
}
