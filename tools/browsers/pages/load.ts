// Loads the packages as a page without a bundler does: by their files' names.

import type { Load } from '../../cases/src/tools.ts';

const MODULES = '../../node_modules';
const FOLDER = `${MODULES}/@sluice`;

/** One file with everything, and the files of each package. */
const BUILDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  one: { sluice: `${MODULES}/sluice/dist/sluice.js`, 'sluice/js': `${MODULES}/sluice/dist/sluice-js.js` },
  files: { sluice: `${MODULES}/sluice/dist/browser/page.js`, 'sluice/js': `${MODULES}/sluice/dist/browser/js.js` },
};
const ENTRIES: Readonly<Record<string, string>> = {
  'sluice/sluice.js': `${MODULES}/sluice/dist/sluice.js`,
  '@sluice/bounded-buffer/msgpack': `${FOLDER}/bounded-buffer/dist/browser/msgpack.js`,
  '@sluice/bounded-buffer/web-streams': `${FOLDER}/bounded-buffer/dist/browser/web-streams.js`,
};

export function loaderOf(build: string): Load {
  return (entry) => import(BUILDS[build]?.[entry] ?? ENTRIES[entry] ?? entry);
}
