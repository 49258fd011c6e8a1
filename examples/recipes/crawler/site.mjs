// Thirty pages that link to each other, so that the recipe runs without a network.
import { createServer } from 'node:http';

const PAGES = 30;

/** @returns {Promise<{ url: string, close: () => void }>} */
export function startSite() {
  const server = createServer((request, response) => {
    const page = Number(request.url?.slice(1) ?? 0);
    const links = [2 * page + 1, 2 * page + 2, page >> 1].filter((other) => other < PAGES);
    response.setHeader('connection', 'close');
    response.end(links.map((other) => `<a href="/${other}">${other}</a>`).join('\n'));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      resolve({ url: `http://127.0.0.1:${port}/0`, close: () => void server.close() });
    });
  });
}
