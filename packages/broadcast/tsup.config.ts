import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig(
  library({
    entry: {
      index: 'src/index.ts',
      // In files of their own: a bundle leaves out what it does not use.
      'chunk-broadcast': 'src/broadcast.ts',
      'chunk-watch-cell': 'src/watch/watch-cell.ts',
      js: 'src/js.ts',
    },
    splitting: true,
  }),
);
