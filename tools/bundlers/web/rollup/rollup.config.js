import { nodeResolve } from '@rollup/plugin-node-resolve';

export default {
  input: { main: 'src/main.js', worker: 'src/worker.js' },
  output: { dir: 'public', format: 'es', entryFileNames: '[name].js' },
  plugins: [nodeResolve({ browser: true })],
};
