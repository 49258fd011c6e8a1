// Builds the page and serves it on this machine. `--no-headers`: as a host that cannot send the two headers would.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { argv, env } from 'node:process';
import { buildDemo, dist } from './build.mjs';

const TYPES = new Map([['.html', 'text/html; charset=utf-8'], ['.css', 'text/css'], ['.js', 'text/javascript'], ['.map', 'application/json']]);
const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
const headers = argv.includes('--no-headers') ? {} : ISOLATED;

await buildDemo();

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const name = pathname === '/' ? 'index.html' : pathname.slice(1);
  const type = TYPES.get(extname(name));
  // The build has no folders: a name with a slash is none of its files.
  if (type === undefined || name.includes('/') || name.includes('%')) return void response.writeHead(404, headers).end();
  readFile(join(dist, name)).then(
    (content) => response.writeHead(200, { ...headers, 'Content-Type': type, 'Cache-Control': 'no-store' }).end(content),
    () => response.writeHead(404, headers).end(),
  );
});

server.listen(Number(env['PORT'] ?? 8080), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`);
});
