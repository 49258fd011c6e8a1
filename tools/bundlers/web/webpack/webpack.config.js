import { resolve } from 'node:path';

export default {
  entry: { main: './src/main.js' },
  output: { path: resolve('public') },
  devServer: {
    headers: {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    },
  },
};
