// A static server. All that is special are two headers, and one file that comes from the package.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { env } from 'node:process';

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript' };

/** Without both a page has no SharedArrayBuffer, and so no Sluice. Workers' files need the second one, too. */
const HEADERS = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/** The only files that are served. */
const FILES = new Map(
  ['/index.html', '/page.js', '/worker.js'].map((path) => [path, new URL(`./public${path}`, import.meta.url)]),
);
FILES.set('/', new URL('./public/index.html', import.meta.url));
FILES.set('/sluice.js', new URL(import.meta.resolve('sluice/sluice.js')));

const server = createServer((request, response) => {
  const file = FILES.get(new URL(request.url ?? '/', 'http://localhost').pathname);
  if (file === undefined) return void response.writeHead(404, HEADERS).end();
  const type = TYPES[/** @type {keyof typeof TYPES} */ (extname(file.pathname))];
  readFile(file).then(
    (content) => response.writeHead(200, { ...HEADERS, 'Content-Type': type }).end(content),
    (/** @type {unknown} */ failure) => response.writeHead(500, HEADERS).end(String(failure)),
  );
});

server.listen(Number(env['PORT'] ?? 8080), () => {
  const address = server.address();
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`);
});
