import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

// Split: an agent's calls through limits of both entries share one queue, so both need one copy of it.
export default defineConfig(library({ entry: ['src/index.ts', 'src/interval.ts', 'src/js.ts'], splitting: true }));
