import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig(
  library({
    entry: {
      index: 'src/index.ts',
      // In files of their own: a bundle leaves out what it does not use.
      'chunk-limit': 'src/create-limit.ts',
      'chunk-task-queue': 'src/task-queue/task-queue.ts',
      'chunk-rate-limiter': 'src/rate/rate-limiter.ts',
      internal: 'src/internal.ts',
      js: 'src/js.ts',
    },
    splitting: true,
  }),
);
