// @ts-check
// docs/soak.md, from the results that are there.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/workspace.mjs';
import { PROFILES } from './options.mjs';
import { clockOf, grouped, memoryTableOf, tableOf } from './report.mjs';

/** @import { Profile } from './options.mjs' */
/** @import { Result } from './report.mjs' */

const INTRODUCTION = `# Soak

\`npm run soak\` keeps every primitive under load for an hour, kills workers at random and replaces them. [tools/soak](../tools/soak/README.md)
says what it does and what it checks, and writes this page.

- **Operations**: calls that wait or may wait. **Sleeps**: how often a thread woke from a sleep or an async wait. **Timed out**, **aborted**: waits that gave up.
- **Kills**: workers that were terminated while they visited the primitive. Those between two visits are in the last line only.
- **Recovered**: permits that returned, locks whose next owner was told, and copies into or out of a buffer that were broken off.
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

/** @param {Profile} profile @param {Result} result */
function section(profile, result) {
  const { conditions, seconds, paused, cpuSeconds, rests, renewals, closes, ownKills, giveUps, goals, recoveries, total } = result;
  const { seed, workers, date, machine, node, commit } = conditions;
  const pauses = paused < 1 ? '' : `, of which the process did not run for ${clockOf(paused)} (it was stopped, or other work kept the cores busy)`;
  const storm = goals.kills === 0 ? '' : ` The goals were ${grouped(goals.kills)} kills and ${grouped(goals.giveUps)} waits that give up: ${total.kills >= goals.kills && giveUps >= goals.giveUps ? 'met' : '**missed**'}.`;
  const pool = ownKills === 0 ? '' : ` ${grouped(ownKills)} workers of the pool were killed besides.`;
  return `## ${TITLES[profile]}

${TEXTS[profile]}

${date}, ${machine}, Node.js ${node.slice(1)}, commit ${commit}, seed ${seed}. ${workers} workers and the main thread, ${clockOf(seconds)} minutes${pauses}, ${clockOf(cpuSeconds)} minutes of CPU.

No check failed at ${grouped(rests)} rests. Workers were killed ${grouped(total.kills)} times, and ${grouped(giveUps)} waits gave up.${storm}${pool}
The recoveries took ${grouped(recoveries.waits)} waits out of lines and finished ${grouped(recoveries.chains)} chains of waiters. ${grouped(renewals)} primitives
were freed and made anew, ${grouped(closes)} of them after a close under load.

${tableOf(result)}

${memoryTableOf(result)}
`;
}

/** @param {(profile: Profile) => Result | undefined} resultFor */
export function pageOf(resultFor) {
  const sections = PROFILES.flatMap((profile) => {
    const result = resultFor(profile);
    return result === undefined ? [] : [section(profile, result)];
  });
  return [INTRODUCTION, ...sections].join('\n');
}

/** @param {string} folder */
export function writePage(folder) {
  const page = pageOf((profile) => {
    const file = join(folder, `${profile}.json`);
    return existsSync(file) ? /** @type {Result} */ (JSON.parse(readFileSync(file, 'utf8'))) : undefined;
  });
  writeFileSync(join(root, 'docs', 'soak.md'), page);
}
