import { defineConfig } from 'tsup';
import { shortLines } from '../../scripts/short-lines.ts';
import { library } from '../../tsup.base.ts';

// For Node.js: no engine runs in a page.
export default defineConfig(library({ entry: ['src/index.ts', 'src/internal.ts'], plugins: [shortLines()] }));
