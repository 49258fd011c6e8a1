// @ts-check
// The storeys of a package: folders of its sources, of which each imports only from itself and from those below. Files
// outside of the folders are the package's entries: they stand above all storeys, and no storey imports them.
import { relative, resolve, sep } from 'node:path';

/** By package, the lowest storey first. @type {Readonly<Record<string, readonly string[]>>} */
export const STOREYS = {
  '@sluice/core': [
    'platform', // what differs between runtimes: clocks, timers, realms
    'api', // what every call has: errors, checks of arguments, options, guards
    'kernel', // the steps that change shared words
    'memory', // the heap: blocks, pools of records, tags, handles
    'agent', // one agent: its record, its elements and entries, the kinds it has loaded
    'report', // reports: what each agent holds and waits for
    'recovery', // the recovery of dead agents
    'arena', // the facade of all of that, and where a primitive lies
    'error-text', // the texts of errors
    'line', // how a waiter waits
    'primitive', // create, open, free
    'workers', // workers that are watched from their start
    'values', // values as bytes
    'locks', // locks with an owner, turns
    'semaphore',
  ],
  '@sluice/remote': [
    'engine', // the interface of an engine, its errors, its clocks
    'line', // a primitive of an engine: its name, the arguments that create it, its title
    'report', // reports from the engine's answers
    'session', // one lease, and everything that a process holds and waits for under it
    'primitives', // the classes
    'bridge', // permits of an engine for the workers of a process
  ],
  '@sluice/redis': [
    'scripts', // the language of the server: what a call does to the keys
    'server', // calls of the scripts, by the client library that the caller has
  ],
};

/**
 * The imports of a package that go up, and folders that are no storey.
 * @param {string} directory of the package
 * @param {readonly string[]} storeys
 * @param {ReadonlyMap<string, readonly string[]>} imports by file, as `importsOf` returns them
 * @returns {string[]}
 */
export function storeyProblems(directory, storeys, imports) {
  const root = resolve(directory, 'src') + sep;
  /** The storey of a file. Above all: of an entry. Undefined: the folder is none. @param {string} file */
  const storeyOf = (file) => {
    const [folder = '', ...rest] = relative(root, file).split(sep);
    if (rest.length === 0) return storeys.length;
    return storeys.includes(folder) ? storeys.indexOf(folder) : undefined;
  };
  return [...imports]
    .filter(([file]) => file.startsWith(root))
    .flatMap(([file, targets]) => {
      const where = relative(root, file).replaceAll(sep, '/');
      const own = storeyOf(file);
      if (own === undefined) return [`${where} lies in a folder that is no storey: list it in storeys.mjs`];
      return targets
        .filter((target) => target.startsWith(root) && (storeyOf(target) ?? 0) > own)
        .map((target) => `${where} imports ${relative(root, target).replaceAll(sep, '/')}, which is above it`);
    });
}
