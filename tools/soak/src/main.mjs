#!/usr/bin/env node
// @ts-check
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { cpus, release, type } from 'node:os';
import { join } from 'node:path';
import process, { argv, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { root } from '../../../scripts/workspace.mjs';
import { bundleLife } from './bundle.mjs';
import { HELP, readOptions } from './options.mjs';
import { writePage } from './page.mjs';
import { failureText, progressOf, resultOf, summaryOf } from './report.mjs';
import { Soak } from './soak.mjs';
import { chosen, PLACES_AND_TURNS, SUBJECTS } from './subjects/index.mjs';
import { POOL } from './subjects/pool.mjs';
import { GIVING_UP, MIXED } from './visit.mjs';

/** @import { Options } from './options.mjs' */
/** @import { Subject } from './subjects/subject.mjs' */

const RESULTS = fileURLToPath(new URL('../results', import.meta.url));
/** Of runs that are too short, or of some primitives only. */
const PARTIAL = join(root, '.cache', 'soak');
/** A run that the page may show. */
const FULL_MINUTES = 60;
const SAMPLE_MS = 10_000;
/** In a storm the rests take most of the time of a busy machine: each waits for workers that start. */
const STORM_REST_EVERY_MS = 10_000;
/** Between two kills, once a storm has had its kills. */
const RARELY_MS = 3000;
/** Between two lines, where no terminal shows the last sample. */
const LINE_EVERY_S = 60;

/** @param {Options} options @returns {Promise<Subject[]>} */
async function subjectsOf({ profile, primitives }) {
  if (profile === 'places-and-turns')
    return [
      ...chosen(
        primitives,
        SUBJECTS.filter(({ name }) => PLACES_AND_TURNS.includes(name)),
      ),
    ];
  const all = [...SUBJECTS, POOL];
  const { REDIS, whyNoServer } = await import('./subjects/redis.mjs');
  const found = chosen(primitives, [...all, REDIS]);
  const why = found.includes(REDIS) ? whyNoServer() : undefined;
  if (why !== undefined) stderr.write(`Without ${REDIS.name}: ${why}.\n`);
  return found.filter((subject) => subject !== REDIS || why === undefined);
}

/** @param {Options} options */
function conditionsOf(options) {
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const [first] = cpus();
  return {
    profile: options.profile,
    seed: options.seed,
    workers: options.workers,
    killEvery: options.killEvery,
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores (${first?.model.trim() ?? 'unknown'}), ${type()} ${release()}`,
    node: process.version,
    commit: git('rev-parse', '--short', 'HEAD'),
  };
}

/** Whether it is one of the runs that the page shows. @param {Options} options */
const isFull = ({ primitives, minutes }) => primitives.length === 0 && minutes >= FULL_MINUTES;

/** @param {Options} options @param {readonly Subject[]} subjects */
async function run(options, subjects) {
  const { profile, minutes, kills, giveUps, seed, workers, killEvery } = options;
  const isStorm = profile === 'places-and-turns';
  const folder = options.results === RESULTS && !isFull(options) ? PARTIAL : options.results;
  mkdirSync(folder, { recursive: true });
  const samples = join(folder, `${profile}.jsonl`);
  writeFileSync(samples, '');
  // At the beginning: the checkout may change meanwhile.
  const conditions = conditionsOf(options);
  const life = await bundleLife();
  process.once('exit', () => rmSync(life));
  let lastLine = -LINE_EVERY_S;
  /** @type {Soak} */
  const soak = new Soak({
    subjects,
    life,
    workers,
    seed,
    killEvery: () => (isStorm && soak.tally.kills >= kills ? RARELY_MS : killEvery),
    ways: isStorm ? GIVING_UP : MIXED,
    // What a storm still lacks it gets more of: waits that give up from threads that live, kills from those that have
    // just begun.
    isEager: () => isStorm && soak.giveUps < giveUps,
    sparesSome: () => !isStorm || soak.giveUps < giveUps,
    ...(isStorm ? { restEveryMs: STORM_REST_EVERY_MS } : {}),
    sampleMs: Math.min(SAMPLE_MS, minutes * 6000),
    isDone: (state) =>
      (isStorm ? state.tally.kills >= kills && state.giveUps >= giveUps : false) || state.seconds >= minutes * 60,
    onSample: (sample) => {
      appendFileSync(samples, `${JSON.stringify(sample)}\n`);
      // So that a run that fails, or is killed, leaves what it did.
      save();
      if (stdout.isTTY) stdout.write(`\r\u001b[K${progressOf(sample)}`);
      else if (sample.seconds - lastLine >= LINE_EVERY_S) {
        lastLine = sample.seconds;
        stdout.write(`${progressOf(sample)}\n`);
      }
    },
  });
  const save = () => {
    const result = resultOf(soak, conditions, subjects, { kills, giveUps });
    writeFileSync(join(folder, `${profile}.json`), `${JSON.stringify(result, undefined, 1)}\n`);
    return result;
  };
  process.once('SIGINT', () => soak.stop());
  stdout.write(`${subjects.length} primitives, ${workers} workers, seed ${seed}; samples in ${samples}\n`);
  const failure = await soak.run();
  if (stdout.isTTY) stdout.write('\n');
  if (failure !== undefined) {
    stderr.write(failureText(failure, seed, soak.failureState));
    process.exitCode = 1;
    return;
  }
  const result = save();
  if (folder === RESULTS) writePage(RESULTS);
  stdout.write(summaryOf(result));
  process.exitCode = result.memory.some(({ verdict }) => verdict === 'missed') ? 1 : 0;
}

async function main() {
  try {
    const options = readOptions(argv.slice(2), RESULTS);
    if (options.help) stdout.write(HELP);
    else if (options.page) writePage(RESULTS);
    else await run(options, await subjectsOf(options));
  } catch (failure) {
    stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`);
    process.exitCode = 2;
  }
}

void main();
