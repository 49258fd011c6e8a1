import { defineConfig } from 'tsup';
import { shortLines } from '../../scripts/short-lines.ts';
import { library } from '../../tsup.base.ts';

// For Node.js: its client does not run in a page.
export default defineConfig(library({ plugins: [shortLines()] }));
