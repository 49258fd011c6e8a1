// @ts-check
// What packed READMEs show and no project of a newcomer can run, and why. A block or command that is neither run nor
// here fails the release.

/**
 * @typedef {{ readme: string, starts: string, why: string }} NotRun `starts`: the first line of the block, or the
 *   command
 */

/** @type {readonly NotRun[]} */
export const NOT_RUN = [
  { readme: 'README.md', starts: 'npm install sluice', why: 'the README of the package runs it' },
  { readme: 'README.md', starts: 'SLUICE_WATCHDOG=5 node', why: 'the README of @sluice/inspect runs it' },
  { readme: 'README.md', starts: 'npm start', why: 'for a checkout of the repository' },
  { readme: 'README.md', starts: 'npm run demo:processes', why: 'for a checkout of the repository' },
  { readme: 'README.md', starts: 'npm run demo:redis', why: 'for a checkout of the repository' },
  { readme: 'README.md', starts: 'npm run site', why: 'for a checkout of the repository' },
  { readme: 'README.md', starts: 'npm run soak', why: 'for a checkout of the repository' },
  { readme: 'README.md', starts: 'npm test', why: 'for a checkout of the repository' },
  { readme: 'sluice', starts: '<script type="module">', why: 'a page: it needs a browser (npm run test:browsers)' },
  { readme: 'sluice', starts: '// worker.js', why: 'the worker of that page' },
  {
    readme: '@sluice/inspect',
    starts: "NODE_OPTIONS='--import @sluice/inspect/why' npx vitest run",
    why: 'for a project with tests of Vitest',
  },
  {
    readme: '@sluice/inspect',
    starts: "import { Arena, findDeadlocks } from 'sluice';",
    why: 'for a page: it needs a browser (npm run test:browsers)',
  },
  { readme: '@sluice/mutex', starts: 'while (!predicate()) filled.wait();', why: 'the loop that `waitFor` stands for' },
  { readme: '@sluice/postgres', starts: 'UPDATE report SET', why: 'SQL: it needs a table of the program' },
  {
    readme: '@sluice/redis',
    starts: "await space.leader('indexer',",
    why: 'an excerpt: it needs a function of the program',
  },
  { readme: '@sluice/redis', starts: 'const at = nextHour();', why: 'an excerpt: it needs a function of the program' },
  { readme: '@sluice/redis', starts: "import cron from 'node-cron';", why: 'it needs the package node-cron' },
  {
    readme: '@sluice/redis',
    starts: "import { connect, formatSpaceReport } from '@sluice/redis';",
    why: 'an excerpt: it needs a connected client',
  },
  {
    readme: '@sluice/redis',
    starts: "  const fill = space.keyedMutex('cache');",
    why: 'an excerpt: it needs a cache of the program',
  },
  {
    readme: '@sluice/redis',
    starts: "const guard = await space.mutex('report').holdAsync();",
    why: 'an excerpt: it needs an SQL database',
  },
  { readme: '@sluice/redis', starts: 'UPDATE report SET', why: 'SQL: it needs a database' },
  {
    readme: '@sluice/worker-pool',
    starts: 'const report = pool.run(year,',
    why: 'an excerpt: it needs a pool and its file of tasks',
  },
];

/** Which of them a release met. */
export class Ledger {
  /** @type {Set<NotRun>} */
  #met = new Set();
  #entries;

  /** @param {readonly NotRun[]} entries */
  constructor(entries = NOT_RUN) {
    this.#entries = entries;
  }

  /**
   * @param {string} readme
   * @param {number} line
   * @param {string} text that is not run
   */
  note(readme, line, text) {
    const entry = this.#entries.find((each) => each.readme === readme && text.startsWith(each.starts));
    if (entry === undefined)
      throw new Error(
        `${readme}:${line}: no release runs this, and scripts/release/not-run.mjs does not say why: ${text.split('\n')[0]}`,
      );
    this.#met.add(entry);
  }

  /** @returns {string} what was not run. Throws if an entry is out of date. */
  close() {
    const stale = this.#entries.filter((entry) => !this.#met.has(entry));
    if (stale.length > 0)
      throw new Error(
        `scripts/release/not-run.mjs lists what no README has: ${stale.map(({ readme, starts }) => `${readme}: ${starts}`).join(', ')}`,
      );
    return `not run, on purpose:\n${this.#entries.map(({ readme, starts, why }) => `  ${readme}: ${starts}  (${why})`).join('\n')}`;
  }
}
