// Prints the modules of Node.js that the import of all packages for pages loads.
import process from 'node:process';

const modules = () =>
  /** @type {{ readonly moduleLoadList: readonly string[] }} */ (/** @type {unknown} */ (process)).moduleLoadList;
const before = new Set(modules());
await import('../../../../packages/sluice/dist/page.js');
process.stdout.write(
  modules()
    .filter((name) => !before.has(name))
    .join('\n'),
);
