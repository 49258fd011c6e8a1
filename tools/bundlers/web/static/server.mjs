import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript' };
const HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost'); // without any '..'
  const path = pathname === '/' ? '/index.html' : pathname;
  try {
    const content = await readFile(`public${path}`);
    response
      .writeHead(200, { ...HEADERS, 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream' })
      .end(content);
  } catch {
    response.writeHead(404, HEADERS).end();
  }
});
server.listen(Number(process.env.PORT ?? 8080));
