import { defineConfig } from 'tsup';
import { shortLines } from '../../scripts/short-lines.ts';
import { library } from '../../tsup.base.ts';

// For Node.js: no page has sockets.
export default defineConfig(library({ plugins: [shortLines()] }));
