// The files that `npm test` runs. It leaves out the tests that take long, and the models draw fewer schedules and
// mutants (docs/CONTRIBUTING.md). `npm test -- --ci` runs all files.
import process from 'node:process';

const isShort = process.env['SLUICE_SHORT'] !== undefined;

/** A quarter of the unit tests' files, and half of their time. */
const longUnits = [
  // Crashes at each operation. The models cover deaths in a short run.
  'packages/*/test/**/*{-crash,random}*.test.ts',
  // The kernels in both languages, and random histories.
  'packages/*/test/**/{kernel-differential,histories}.test.ts',
  // Memory that stays, is reused, or holds thousands of waiters.
  'packages/*/test/**/{cancelled-waits,memory,places,turnstile-bound}.test.ts',
  // Files of the pool that start many processes and workers.
  'packages/worker-pool/test/{ending,making,node-memory,processes,slots,workers}.test.ts',
  'tools/model/test/soundness.test.ts',
];

/** One stress test of each package. */
const shortStress = [
  'packages/*/test/**/{storm,rounds,keyed,gates,broadcast,interval,resizable,seq-lock,hangs,cache}.stress.ts',
  '{tools,benchmarks,examples}/**/*.stress.ts',
];

/** They wait for a server, for leases to end or for programs that they started, and measure nothing. */
const waiting = [
  'packages/{postgres,redis}/test/faults.stress.ts',
  'examples/{pack,recipes,worker-hello}/test/*.stress.ts',
  'examples/migrating/test/migrating.stress.ts',
  'tools/{matrix,soak}/test/*.stress.ts',
  'tools/whole/test/{frozen,published-files,sandboxes,stack-overflow}.stress.ts',
];
const longWaiting = [
  'packages/redis/test/faults-{clock,primitives,rounds,storm}.stress.ts',
  'packages/inspect/test/{dump,lints,warnings,watchdog,why}.stress.ts',
  'packages/local/test/{cache-deaths,deaths,processes}.stress.ts',
  'packages/{local,postgres,redis}/test/fault-table.stress.ts',
  'packages/{postgres,redis}/test/deaths-of-cachers.stress.ts',
];

/** What the unit layer leaves out. */
export const EXCLUDED_UNITS: readonly string[] = isShort ? longUnits : [];
/** Stress tests that want the machine for themselves. */
export const MEASURED = {
  include: isShort ? shortStress : ['**/*.stress.ts'],
  exclude: [...waiting, ...longWaiting],
};
/** Stress tests that run three at a time. */
export const WAITING: readonly string[] = isShort ? waiting : [...waiting, ...longWaiting];
