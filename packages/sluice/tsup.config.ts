import { defineConfig } from 'tsup';
import { shortLines } from '../../scripts/short-lines.ts';
import { library } from '../../tsup.base.ts';

export default defineConfig([
  library({ entry: ['src/index.ts', 'src/page.ts'], splitting: true }),
  // One file that contains every package, beside the modules that import them by name. For pages, which download it as it is: without white
  // space, but in lines.
  library({ entry: { sluice: 'src/page.ts' }, format: ['esm'], noExternal: [/^@sluice\//], clean: false, minifyWhitespace: true, plugins: [shortLines()] }),
]);
