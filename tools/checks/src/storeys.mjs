// @ts-check
// The storeys of a package: folders of its sources, of which each imports only from itself and from those below. Files
// outside of the folders are the package's entries, and what only these import: they stand above all storeys, and no
// storey imports them.
import { dirname, relative, resolve, sep } from 'node:path';

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
    'steps', // the steps over a state in memory, for engines that run them in TypeScript
    'line', // a primitive of an engine: its name, the arguments that create it, its title
    'report', // reports from the engine's answers
    'session', // one lease, and everything that a process holds and waits for under it
    'primitives', // the classes
    'limit', // a limit with p-limit's interface
    'keyed', // limits and rates of keys
    'cache', // values that are computed once
    'several', // several locks at once
    'bridge', // permits of an engine for the workers of a process
  ],
  '@sluice/postgres': [
    'sql', // words of SQL, and the tables
    'store', // what steps read and write, as statements
    'server', // the connection, and the engine that runs steps over it
  ],
  '@sluice/redis': [
    'scripts', // the language of the server: what a call does to the keys
    'server', // calls of the scripts, by the client library that the caller has
  ],
  '@sluice/local': [
    'folder', // the folder of a space: which process serves it, and the journal
    'server', // the process that serves: its state, its socket
    'client', // the engine of a process: finds the server, or becomes it
  ],
  '@sluice/worker-pool': [
    'platform', // what is Node.js's own: timers, the output of a thread
    'clone', // values as bytes
    'api', // what every call has: options, inputs, errors, events, counts
    'shared', // the words and buffers that all threads of a pool share
    'messages', // what the threads send each other: tasks, results, failures
    'worker', // the thread of a worker: finds functions, runs tasks, reports their ends
    'tasks', // the tasks in the pool's thread, from their call to their outcome
    'workers', // the workers in the pool's thread, from their start to their exit
    'calls', // calls that start several tasks: maps, streams, scopes
    'pool', // the class, and the engine that connects tasks and workers
  ],
  '@sluice/named': [
    'table', // a table of entries by key in shared memory: its lists, its mutex, entries that are locks
    'names', // primitives by name
    'mutexes', // a mutex for each key
    'limits', // slots for each key
    'rates', // a rate for each key
    'web-locks', // the Web Locks API over a table of lines
  ],
  '@sluice/bounded-buffer': [
    'kernel', // the steps that change shared words
    'api', // what a caller gives and gets: options, codecs, handles
    'values', // how values lie in the ring
    'sides', // a side: its lock, its line, the calls of producers and consumers
    'buffer', // the class, readers and writers in place
    'streams', // streams of the platform over a buffer
    'select', // waits for the first of several sources
  ],
  '@sluice/inspect': [
    'drawing', // a report as a picture: it knows no arena
    'tables', // what the threads of a program tell each other in shared memory
    'report', // what an arena's words say: who waits for what, who holds it, and its text
    'process', // the process around an arena: its warnings, its main thread, its dead workers
    'observe', // what a thread tells its tools of each wait and hold
    'places', // where in the program primitives are created, acquired and waited for
    'deadlocks', // circles of waits
    'stuck', // waits that are too old
    'dump', // the memory of an arena in a file
    'lints', // warnings of doubtful calls
    'lock-order', // the orders in which threads acquire locks
    'statistics', // times of waits and holds
    'watchdog', // a thread that reports stuck waits of a process
    'view', // a page that shows arenas as they live
    'why', // why a program of Node.js hangs
  ],
  '@sluice/limit': [
    'kernel', // the steps that change shared words, and the words of a limit's regions
    'api', // what a caller gives and gets: options, handles, reports
    'line', // an agent's place in a line, and what it does at the head
    'slots', // slots as permits of a semaphore
    'calls', // the calls of one agent: running, waiting
    'interval', // starts that are counted in an interval
    'overload', // calls that are shed because too many wait
    'adaptive', // a size that follows the latency of the calls
    'control', // limits that are adaptive or shed calls
    'rate', // the rate limiter
    'task-queue', // the task queue
  ],
  '@sluice/capacitor': [
    'kernel', // the steps that change shared words
    'gates', // capacitors, and the turnstile, which is a mutex in turns without an owner
    'lock', // a lock of any kind behind a gate: it knows the interfaces of both
  ],
};

/** The most files directly in the `src` of a package. */
const MOST_FLAT = 20;

/**
 * A package with so many files directly in `src` that a reader no longer finds one by its name.
 * @param {string} directory of the package
 * @param {readonly string[]} files
 * @returns {string[]}
 */
export function heapProblems(directory, files) {
  const root = resolve(directory, 'src');
  const flat = files.filter((file) => dirname(file) === root);
  return flat.length <= MOST_FLAT
    ? []
    : [`${relative(dirname(directory), root)} has ${flat.length} files: sort them into folders (storeys.mjs)`];
}

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
