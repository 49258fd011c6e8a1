import { defineConfig } from 'tsup';
import { shortLines } from '../../scripts/short-lines.ts';
import { library } from '../../tsup.base.ts';

export default defineConfig([
  library(),
  // One file that contains every package, beside the module that imports them by name. For pages, which download it as it is: without white
  // space, but in lines.
  library({ entry: { sluice: 'src/index.ts' }, format: ['esm'], noExternal: [/^@sluice\//], clean: false, minifyWhitespace: true, plugins: [shortLines()] }),
]);
