// Loads the packages as a page without a bundler does: by their files' names.

import type { Load } from '../../cases/src/tools.ts';

const FOLDER = '../../node_modules/@sluice';

/** One file with everything, and the files of each package. */
const BUILDS: Readonly<Record<string, string>> = { one: `${FOLDER}/all/dist/sluice.js`, files: `${FOLDER}/all/dist/browser/index.js` };
const ENTRIES: Readonly<Record<string, string>> = {
  '@sluice/all/sluice.js': `${FOLDER}/all/dist/sluice.js`,
  '@sluice/bounded-buffer/msgpack': `${FOLDER}/bounded-buffer/dist/browser/msgpack.js`,
  '@sluice/bounded-buffer/web-streams': `${FOLDER}/bounded-buffer/dist/browser/web-streams.js`,
};

export function loaderOf(build: string): Load {
  return (entry) => import((entry === '@sluice/all' ? BUILDS[build] : ENTRIES[entry]) ?? entry);
}
