// @ts-check
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeSurroundings } from './lib/machine.mjs';
import { patience } from './lib/repeat.mjs';
import { createReport } from './lib/report.mjs';
import * as asyncTurns from './scenarios/async-turns.mjs';
import * as barrier from './scenarios/barrier.mjs';
import * as boxOffice from './scenarios/box-office.mjs';
import * as broadcast from './scenarios/broadcast.mjs';
import * as buffer from './scenarios/buffer.mjs';
import * as cache from './scenarios/cache.mjs';
import * as condition from './scenarios/condition.mjs';
import * as contended from './scenarios/contended.mjs';
import * as grantedAtOnce from './scenarios/granted-at-once.mjs';
import * as handOvers from './scenarios/hand-overs.mjs';
import * as hashes from './scenarios/hashes.mjs';
import * as httpPool from './scenarios/http-pool.mjs';
import * as keyedLimits from './scenarios/keyed-limits.mjs';
import * as latency from './scenarios/latency.mjs';
import * as limit from './scenarios/limit.mjs';
import * as rateKept from './scenarios/rate-kept.mjs';
import * as rateLimit from './scenarios/rate-limit.mjs';
import * as mutexbench from './scenarios/mutexbench.mjs';
import { keys as mutexbenchKeys } from './scenarios/mutexbench-subjects.mjs';
import * as named from './scenarios/named.mjs';
import * as observed from './scenarios/observed.mjs';
import * as once from './scenarios/once.mjs';
import * as peers from './scenarios/peers.mjs';
import * as places from './scenarios/places.mjs';
import * as policy from './scenarios/policy.mjs';
import * as pool from './scenarios/pool.mjs';
import * as priority from './scenarios/priority.mjs';
import * as recovery from './scenarios/recovery.mjs';
import * as readers from './scenarios/readers.mjs';
import * as reports from './scenarios/reports.mjs';
import * as roundTrip from './scenarios/round-trip.mjs';
import * as seqLock from './scenarios/seq-lock.mjs';
import * as semabench from './scenarios/semabench.mjs';
import { keys as semabenchKeys } from './scenarios/semabench-subjects.mjs';
import * as size from './scenarios/size.mjs';
import * as smallCosts from './scenarios/small-costs.mjs';
import * as startUp from './scenarios/start-up.mjs';
import * as tax from './scenarios/tax.mjs';
import * as uncontended from './scenarios/uncontended.mjs';
import * as view from './scenarios/view.mjs';
import * as watch from './scenarios/watch.mjs';
import * as why from './scenarios/why.mjs';

/** @type {readonly import('./lib/context.mjs').Scenario[]} */
const scenarios = [
  uncontended,
  boxOffice,
  condition,
  contended,
  handOvers,
  grantedAtOnce,
  asyncTurns,
  reports,
  hashes,
  readers,
  seqLock,
  latency,
  roundTrip,
  peers,
  policy,
  size,
  tax,
  buffer,
  broadcast,
  pool,
  httpPool,
  recovery,
  limit,
  priority,
  rateLimit,
  rateKept,
  barrier,
  observed,
  once,
  named,
  keyedLimits,
  cache,
  view,
  watch,
  why,
  smallCosts,
  semabench,
  mutexbench,
  startUp,
  places,
];

const usage = `npm run bench -- [scenario ...] [--quick] [--repetitions N] [--results DIRECTORY]

Scenarios (all but mutexbench, semabench and places when none is named):
${scenarios.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`).join('\n')}

  --quick            about a second each, to prove that they run; the figures mean nothing
  --repetitions N    interleaved repetitions behind each median (5, mutexbench and semabench 11, or 1 with --quick)
  --undisturbed      waits until the machine is calm, and takes again what other processes disturbed (Linux)
  --results DIR      where the JSON lines go (benchmarks/results, or benchmarks/.cache/results with --quick)

For mutexbench, semabench, places and http-pool only (places: --subjects and --seconds; http-pool: --seconds):
  --subjects A,B     some of those below; a star stands for anything: 'tts*'
  --workers N,N      1,2,4,8,16,32,64, or 1,4,16 with --quick
  --series S,S       mutexbench: what is outside of the lock, empty (nothing), private (a step of an own generator)
                     semabench: blocking, mixed (every other worker awaits), uncontended
  --seconds S        counted for each point (3, semabench 2, places and http-pool 60, or 0.3 with --quick)

Subjects of mutexbench: ${mutexbenchKeys.join(', ')}
Subjects of semabench: ${semabenchKeys.join(', ')}`;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      undisturbed: { type: 'boolean', default: false },
      repetitions: { type: 'string' },
      results: { type: 'string' },
      subjects: { type: 'string' },
      workers: { type: 'string' },
      series: { type: 'string' },
      seconds: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const given = values.repetitions;
  const repetitions = given === undefined ? undefined : positive('--repetitions', given, Number.isInteger);
  const known = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  const named = positionals.map((name) => {
    const scenario = known.get(name);
    if (!scenario) throw new Error(`there is no scenario named ${name}`);
    return scenario;
  });
  const chosen = named.length > 0 ? named : scenarios.filter(({ onlyWhenNamed }) => !onlyWhenNamed);
  const directory =
    values.results ?? fileURLToPath(new URL(values.quick ? '../.cache/results' : '../results', import.meta.url));
  const { quick, help, undisturbed } = values;
  return { quick, help, undisturbed, directory, repetitions, chosen, choice: readChoice(values) };
}

/**
 * @param {Partial<Record<'subjects' | 'workers' | 'series' | 'seconds', string>>} values
 * @returns {import('./lib/context.mjs').Choice}
 */
function readChoice({ subjects, workers, series, seconds }) {
  return {
    subjects: subjects?.split(','),
    workers: workers?.split(',').map((number) => positive('--workers', number, Number.isInteger)),
    series: series?.split(','),
    seconds: seconds === undefined ? undefined : positive('--seconds', seconds, Number.isFinite),
  };
}

/** @param {string} option @param {string} text @param {(value: number) => boolean} isKind */
function positive(option, text, isKind) {
  const value = Number(text);
  const kind = isKind === Number.isInteger ? 'whole number' : 'number';
  if (!isKind(value) || value <= 0) throw new Error(`${option} takes a positive ${kind}, not ${text}`);
  return value;
}

function coreIsBuilt() {
  try {
    return existsSync(fileURLToPath(import.meta.resolve('@sluice/core')));
  } catch {
    return false;
  }
}

/** @returns {Promise<number>} the exit code: 1 when a measurement could not be taken, whatever the bars say */
async function run() {
  const { quick, help, undisturbed, directory, repetitions, chosen, choice } = readArguments();
  patience.waits = undisturbed;
  if (help) {
    console.log(usage);
    return 0;
  }
  if (!coreIsBuilt()) throw new Error('@sluice/core is not built yet: run `npm run build` first');
  const { machine, versions, commit } = describeSurroundings();
  const { cpu, cores, memoryGiB, platform } = machine;
  console.log(
    `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}; Node ${versions.node}; commit ${commit ?? 'unknown'}`,
  );
  let failures = 0;
  for (const scenario of chosen) {
    const report = createReport({
      scenario: scenario.name,
      directory,
      quick,
      undisturbed,
      surroundings: describeSurroundings(),
    });
    const usual = quick ? 1 : (scenario.repetitions ?? 5);
    await scenario.run({ report, quick, repetitions: repetitions ?? usual, choice });
    failures += report.end().failures;
  }
  return failures > 0 ? 1 : 0;
}

// Ending by `exit` kills the running job as well.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

try {
  process.exitCode = await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
