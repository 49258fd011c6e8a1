// @ts-check
// docs/soak.md, from the results that are there.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/workspace.mjs';
import { PROFILES } from './options.mjs';
import { clockOf, grouped, memoryTableOf, merged, tableOf } from './report.mjs';

/** @import { Profile } from './options.mjs' */
/** @import { Result } from './report.mjs' */

const INTRODUCTION = `# Soak

\`npm run soak\` keeps all primitives, in several forms, under load for an hour, kills workers at random and replaces them. [tools/soak](../tools/soak/README.md)
says what it does and what it checks, and writes this page.

- **Operations**: calls that wait or may wait. **Sleeps**: how often a thread woke from a sleep or an async wait. **Timed out**, **aborted**: waits that gave up.
- **Kills**: workers that were terminated while they visited the primitive. Those between two visits are in the last line only.
- **Recovered**: permits that returned, locks whose next owner was told, and copies into or out of a buffer that were broken off.
- **heap**, **external**: of the main thread. **arena**: bytes in use. **elements**: records of waits, free ones included. **handles**, **files**: of the
  process; Node.js 20 leaves a module's file open if a worker is killed while it loads that module.
- **Growth**: the slope over the last two thirds of the run (the median of all pairs of samples), times their length.
`;

/** @type {Readonly<Record<Profile, string>>} */
const TITLES = { all: 'All primitives', 'places-and-turns': 'Places and turns' };
/** @type {Readonly<Record<Profile, string>>} */
const TEXTS = {
  all: '`npm run soak`. Each thread blocks, polls, awaits and aborts at random.',
  'places-and-turns':
    '`npm run soak -- --profile places-and-turns`. Waits that give up and workers that are killed, at the primitives with a line that waits leave, or with turns.',
};

/** @param {Profile} profile @param {readonly Result[]} results */
function section(profile, results) {
  const result = merged(results);
  const {
    conditions,
    seconds,
    paused,
    cpuSeconds,
    rests,
    renewals,
    closes,
    ownKills,
    giveUps,
    goals,
    recoveries,
    total,
  } = result;
  const { seed, workers, date, machine, node, commit } = conditions;
  const pauses =
    paused < 1
      ? ''
      : `, of which the process did not run for ${clockOf(paused)} (it was stopped, or other work kept the cores busy)`;
  const several =
    results.length === 1
      ? ''
      : ` (${results.length} runs: ${results.map(({ conditions: its }) => `seed ${its.seed}, ${its.workers} workers`).join('; ')})`;
  const short = profile === 'all' && seconds < 3600 ? ' The run was shorter than an hour.' : '';
  const memoryOf = results.length === 1 ? '' : 'The memory of the longest run:\n\n';
  const storm =
    goals.kills === 0
      ? ''
      : ` The goals were ${grouped(goals.kills)} kills and ${grouped(goals.giveUps)} waits that give up: ${total.kills >= goals.kills && giveUps >= goals.giveUps ? 'met' : '**missed**'}.`;
  const pool = ownKills === 0 ? '' : ` ${grouped(ownKills)} workers of the pool were killed besides.`;
  return `## ${TITLES[profile]}

${TEXTS[profile]}

${date}, ${machine}, Node.js ${node.slice(1)}, commit ${commit}, seed ${seed}. ${workers} workers and the main thread${several}, ${clockOf(seconds)} minutes${pauses}, ${clockOf(cpuSeconds)} minutes of CPU.${short}

No check failed during the run and at its ${grouped(rests)} rests. Workers were killed ${grouped(total.kills)} times, and ${grouped(giveUps)} waits gave up.${storm}${pool}
The recoveries took ${grouped(recoveries.waits)} waits out of lines and finished ${grouped(recoveries.chains)} chains of waiters. ${grouped(renewals)} primitives
were freed and made anew, ${grouped(closes)} of them after a close under load.

${tableOf(result)}

${memoryOf}${memoryTableOf(result)}
`;
}

/** @param {(profile: Profile) => readonly Result[]} resultsFor */
export function pageOf(resultsFor) {
  const sections = PROFILES.flatMap((profile) => {
    const results = resultsFor(profile);
    return results.length === 0 ? [] : [section(profile, results)];
  });
  return [INTRODUCTION, ...sections].join('\n');
}

/** A profile may have several results: `all.json`, `all-2.json`. @param {string} folder */
export function writePage(folder) {
  const page = pageOf((profile) => {
    const files = existsSync(folder)
      ? readdirSync(folder).filter((name) => new RegExp(`^${profile}(-\\d+)?\\.json$`).test(name))
      : [];
    return files.sort().map((name) => /** @type {Result} */ (JSON.parse(readFileSync(join(folder, name), 'utf8'))));
  });
  writeFileSync(join(root, 'docs', 'soak.md'), page);
}
