// @ts-check
import { pbkdf2Sync } from 'node:crypto';
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median, pairedRatios } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/http-pool.mjs').HttpResult} HttpResult */
/** @typedef {import('../jobs/http-pool.mjs').HttpPoolName} HttpPoolName */

export const name = 'http-pool';
export const summary =
  'an HTTP server over a pool with its default options, 20 connections, 4 ms tasks, beside piscina';
/** Pairs of runs, of a minute each. */
export const repetitions = 3;

const POOLS = /** @type {const} */ (['sluice', 'piscina']);
const CONNECTIONS = 20;
const TASK_MS = 4;
/** Peak memory over that of piscina. */
const LEVEL = 1;

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions: pairs, choice: { seconds = 60 } }) {
  const rounds = roundsFor(TASK_MS);
  const specification = quick
    ? { connections: CONNECTIONS, rounds: Math.ceil(rounds / 20), seconds: 0.3, warmUpSeconds: 0.1 }
    : { connections: CONNECTIONS, rounds, seconds, warmUpSeconds: 3 };
  const timeoutMs = 30_000 + 2000 * specification.seconds;
  const measurements = new Map(
    POOLS.map((pool) => {
      const measure = async () =>
        /** @type {HttpResult} */ (await runJob('http-pool', { ...specification, pool }, { timeoutMs }));
      return /** @type {const} */ ([pool, measure]);
    }),
  );
  const outcomes = await interleave(measurements, pairs, report.progress);
  /** @param {HttpPoolName} pool @param {keyof HttpResult} key */
  const valuesOf = (pool, key) => outcomes.get(pool)?.values.map((value) => value[key]) ?? [];
  const rows = [];
  for (const pool of POOLS) {
    const outcome = outcomes.get(pool);
    if (!outcome || outcome.values.length === 0 || valuesOf('piscina', 'p99Millis').length === 0) {
      report.fail(pool, outcome?.failure ?? 'nothing to compare with');
      continue;
    }
    const keys = /** @type {const} */ (['perSecond', 'p50Millis', 'p99Millis', 'worstMillis', 'peakMebibytes']);
    const [perSecond, p50Millis, p99Millis, worstMillis, peakMebibytes] = keys.map((key) =>
      median(valuesOf(pool, key)),
    );
    const ratios = pairedRatios(valuesOf(pool, 'p99Millis'), valuesOf('piscina', 'p99Millis'));
    const memory = median(pairedRatios(valuesOf(pool, 'peakMebibytes'), valuesOf('piscina', 'peakMebibytes')));
    const bars =
      pool === 'sluice' && !quick
        ? [
            bar('99th percentile over that of piscina, the worst pair', Math.max(...ratios), { atMost: 0.9 }),
            bar('peak memory over that of piscina', memory, { atMost: LEVEL }),
          ]
        : [];
    report.add({
      subject: pool,
      what: `${CONNECTIONS} connections, ${TASK_MS} ms tasks`,
      seconds: specification.seconds,
      runtime: currentRuntime.name,
      repetitions: pairs,
      perSecond,
      p50Millis,
      p99Millis,
      worstMillis,
      peakMebibytes,
      ratios,
      memory,
      samples: outcome.values,
      bars,
    });
    rows.push([
      pool,
      ...[perSecond, p50Millis, p99Millis, worstMillis, peakMebibytes].map(show),
      ratios.map(show).join(', '),
      show(memory),
      bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(', '),
    ]);
  }
  report.table(
    `HTTP server over a pool, ${CONNECTIONS} connections, ${TASK_MS} ms tasks, ${specification.seconds} s, on ${currentRuntime.name}, median of ${pairs}`,
    ['pool', 'requests/s', 'p50 ms', 'p99 ms', 'worst ms', 'peak MiB', 'p99 over piscina', 'MiB over piscina', 'bars'],
    rows,
  );
}

/** How many rounds of the hash take so long on this machine, where nothing disturbs them. @param {number} millis */
function roundsFor(millis) {
  const probe = 10_000;
  const times = Array.from({ length: 20 }, () => {
    const began = performance.now();
    pbkdf2Sync('password', 'salt', probe, 32, 'sha256');
    return performance.now() - began;
  });
  return Math.round((millis / Math.min(...times)) * probe);
}
