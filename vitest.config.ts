import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));
const soak = process.env['SLUICE_SOAK'] !== undefined;
const MINUTE = 60_000;

/** Unit and model tests read the packages from source; stress tests use what users install, the built files. */
function sourceAliases(): { find: RegExp; replacement: string }[] {
  return readdirSync(`${root}packages`)
    .flatMap((name) => [
      { find: new RegExp(`^@sluice/${name}$`), replacement: `${root}packages/${name}/src/index.ts` },
      { find: new RegExp(`^@sluice/${name}/internal$`), replacement: `${root}packages/${name}/src/internal.ts` },
    ])
    .filter(({ replacement }) => existsSync(replacement));
}

const exclude = [...configDefaults.exclude, '**/dist/**', '**/.cache/**'];

export default defineConfig({
  test: {
    allowOnly: false,
    projects: [
      {
        resolve: { alias: sourceAliases() },
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts', '{tools,benchmarks,examples}/**/*.test.ts'],
          exclude,
          // A watchdog, not an expectation: the machine may be busy with something else.
          testTimeout: 30_000,
        },
      },
      {
        resolve: { alias: sourceAliases() },
        test: {
          name: 'model',
          include: ['**/*.model.ts'],
          exclude,
          testTimeout: soak ? 60 * MINUTE : 2 * MINUTE,
        },
      },
      {
        test: {
          name: 'stress',
          include: ['**/*.stress.ts'],
          exclude,
          pool: 'forks',
          // Each file starts more workers than there are cores; two at once would measure each other.
          fileParallelism: false,
          testTimeout: soak ? 60 * MINUTE : 2 * MINUTE,
          hookTimeout: MINUTE,
        },
      },
    ],
  },
});
