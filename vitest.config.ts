import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/longest-first.ts';
import { EXCLUDED_UNITS, MEASURED, WAITING } from './scripts/short-run.ts';
import { bundledTests, type Batch } from './tools/harness/src/bundled/bundled-tests.ts';
import { crashInjection, isCrashTest } from './tools/harness/src/bundled/crash-injection.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const soak = process.env['SLUICE_SOAK'] !== undefined;
const MINUTE = 60_000;

/** Where bundled tests lie. Node.js loads them, not Vitest. */
const BUNDLES = `${root}.cache/tests`;
const server = { deps: { external: [/\/\.cache\/tests\//] } };

/** Unit and model tests read the packages from source; stress tests use what users install, the built files. */
const sources: readonly (readonly [name: string, file: string])[] = readdirSync(`${root}packages`)
  .map((folder) => ({
    name: folder === 'sluice' ? folder : `@sluice/${folder}`,
    source: `${root}packages/${folder}/src`,
  }))
  .flatMap(({ name, source }): (readonly [name: string, file: string])[] => [
    [name, `${source}/index.ts`],
    [`${name}/internal`, `${source}/internal.ts`],
    [`${name}/js`, `${source}/js.ts`],
    [`${name}/steps`, `${source}/steps.ts`],
    [`${name}/kernel`, `${source}/kernel/parts.ts`],
  ])
  .concat([
    ['@sluice/core/calls', `${root}packages/core/src/calls.ts`],
    ['@sluice/core/format', `${root}packages/core/src/kernel/format.ts`],
    ['@sluice/core/report', `${root}packages/core/src/report.ts`],
  ])
  .filter(([, file]) => existsSync(file));

const alias = sources.map(([name, replacement]) => ({ find: new RegExp(`^${name}$`), replacement }));

const exclude = [...configDefaults.exclude, '**/dist/**', '**/.cache/**'];

/** These compute for seconds, and look at no names. */
const LONG = /\b(conformance|every-engine|kernel-differential|family|soundness|random)\.test\.ts$/;

/**
 * What mocks modules, imports a second copy of them or asks for their files needs the modules one by one, and so do
 * imports of computed names.
 */
const MOCKS = /\bvi\.(mock|doMock|resetModules)\b|\/functions-of\.ts'|@vite-ignore/;

/** What runs the cases of a model. */
const CASES = 'packages/*/test/**/model/*-cases.ts';
const MODELS = `${root}packages/core/test/model/run.ts`;
const runsCases = (file: string): string | undefined =>
  file.endsWith('-cases.ts')
    ? `import { testModels } from '${MODELS}';\nimport { MODELS } from '${file}';\nawait testModels(MODELS);`
    : undefined;

/** The client libraries and the Lua engine are CommonJS, which a bundle of ES modules cannot load. */
const WITH_CLIENTS = /\/packages\/(redis|postgres)\/test\//;

/** Tests of sources. The examples and the other tools run what is built. */
const COMPUTES = /\/(packages\/[^/]+|tools\/(conformance|linear|model))\/test\//;

const isBundled = (file: string, text: string): boolean =>
  COMPUTES.test(file) && !WITH_CLIENTS.test(file) && !MOCKS.test(text);

const ORDINARY: Batch = { name: 'unit', keepNames: true };
const COMPUTING: Batch = { name: 'computing', keepNames: false };
const CRASHING: Batch = {
  name: 'crash',
  keepNames: false,
  plugins: [crashInjection({ core: `${root}packages/core` })],
};
const MODEL: Batch = { name: 'model', keepNames: false };

const unitBatchOf = (file: string, text: string): Batch | undefined => {
  if (!isBundled(file, text)) return undefined;
  return isCrashTest(text) ? CRASHING : LONG.test(file) ? COMPUTING : ORDINARY;
};

const bundled = { alias: Object.fromEntries(sources), out: BUNDLES };
const bundledUnits = bundledTests({ ...bundled, tests: /\.test\.ts$/, batchOf: unitBatchOf });
const bundledModels = bundledTests({
  ...bundled,
  tests: /(\.model|-cases)\.ts$/,
  batchOf: (file) => (WITH_CLIENTS.test(file) ? undefined : MODEL),
  runner: runsCases,
});

/** `npm run test:slow-clock`. */
const setupFiles = process.env['SLUICE_CLOCK'] === 'slow' ? ['tools/harness/src/slow-clock.mjs'] : [];

/** A watchdog, not an expectation: the machine may be busy with something else. */
const UNIT_TIMEOUT = 5 * MINUTE;

const stress = {
  exclude,
  pool: 'forks',
  testTimeout: soak ? 60 * MINUTE : 5 * MINUTE,
  hookTimeout: MINUTE,
} as const;

export default defineConfig({
  test: {
    allowOnly: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve: { alias },
        plugins: [bundledUnits],
        test: {
          name: 'unit',
          server,
          setupFiles,
          include: ['packages/*/test/**/*.test.ts', '{tools,benchmarks,examples}/**/*.test.ts'],
          exclude: [...exclude, ...EXCLUDED_UNITS],
          testTimeout: UNIT_TIMEOUT,
          hookTimeout: UNIT_TIMEOUT,
        },
      },
      {
        resolve: { alias },
        plugins: [bundledModels],
        test: {
          name: 'model',
          server,
          include: [CASES, '**/*.model.ts'],
          exclude,
          isolate: false,
          // A mutant is a build of its own by esbuild, which collects garbage for a quarter of its time by default.
          env: { GOGC: '400' },
          testTimeout: soak ? 60 * MINUTE : 5 * MINUTE,
          hookTimeout: UNIT_TIMEOUT,
        },
      },
      {
        test: {
          ...stress,
          name: 'stress',
          include: MEASURED.include,
          exclude: [...exclude, ...MEASURED.exclude],
          // Each file starts more workers than there are cores; two at once would measure each other.
          fileParallelism: false,
        },
      },
      {
        test: {
          ...stress,
          name: 'stress-waiting',
          include: [...WAITING],
          // Together they keep half of a core busy.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'browsers',
          include: ['tools/browsers/test/*.browser.ts'],
          exclude,
          // A case waits for pages and threads to start most of the time, and measures nothing.
          hookTimeout: MINUTE,
        },
      },
      {
        test: {
          name: 'bundlers',
          include: ['tools/bundlers/test/*.bundler.ts'],
          exclude,
          hookTimeout: MINUTE,
        },
      },
    ],
  },
});
