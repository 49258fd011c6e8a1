// Builds the page and serves it on this machine. `--no-headers`: as a host that cannot send the two headers would.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, relative, sep } from 'node:path';
import { argv, env } from 'node:process';
import { buildDemo } from './build.mjs';

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css'],
  ['.js', 'text/javascript'],
  ['.map', 'application/json'],
]);
const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
const headers = argv.includes('--no-headers') ? {} : ISOLATED;

// Two servers at a time do not build into each other's files.
const folder = await mkdtemp(join(tmpdir(), 'live-demo-'));
await buildDemo(folder);
const entries = await readdir(folder, { recursive: true, withFileTypes: true });
const names = entries
  .filter((entry) => entry.isFile())
  .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
const files = new Map(
  await Promise.all(
    names.map(async (name) => /** @type {[string, Buffer]} */ ([`/${name}`, await readFile(join(folder, name))])),
  ),
);
await rm(folder, { recursive: true });

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const path = pathname === '/' ? '/index.html' : pathname;
  const content = files.get(path);
  if (content === undefined) return void response.writeHead(404, headers).end();
  response
    .writeHead(200, {
      ...headers,
      'Content-Type': TYPES.get(extname(path)) ?? 'text/plain',
      'Cache-Control': 'no-store',
    })
    .end(content);
});

server.listen(Number(env['PORT'] ?? 8080), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`);
});
