import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

const entry = [
  'src/index.ts',
  'src/msgpack.ts',
  'src/js.ts',
  'src/select.ts',
  'src/web-streams.ts',
  'src/node-streams.ts',
];

// Split: the entries beside `index` look into the buffers that it made, so all of them need one copy of the class.
// The name `node:stream` tells the page build which entry is for Node.js alone.
export default defineConfig(library({ entry, splitting: true, external: [/^node:/], removeNodeProtocol: false }));
