// Serves the page of a view on loopback.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { judge, type Part } from './requests.ts';

export interface ViewSite {
  readonly token: string;
  /** The texts of the page, by their parts. */
  readonly files: Readonly<Record<Exclude<Part, 'frame'>, string>>;
  readonly frame: (arena: string, filter: string) => Promise<string>;
}

const LOOPBACK = '127.0.0.1';
/** The most bytes of the first line and the headers of a request. */
const MAX_HEADER_BYTES = 8192;
const MAX_CONNECTIONS = 64;
/** The time in ms in which a request must arrive as a whole. */
const REQUEST_MS = 10_000;
/** ms between two checks of that time. */
const CHECK_MS = 1000;

const TYPES: Readonly<Record<Part, string>> = {
  '': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  frame: 'application/json',
};

/** No other origin may embed or read an answer, and the page loads nothing from elsewhere. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

export class ViewServer {
  readonly #server: Server;
  readonly #site: ViewSite;

  constructor(site: ViewSite) {
    this.#site = site;
    const limits = {
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: REQUEST_MS,
      headersTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
    };
    this.#server = createServer(limits, (request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Resolves with the port. Rejects if it is taken. `port`: 0 for any free one. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, LOOPBACK, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers, headersDistinct } = request;
    const [host, ...others] = headersDistinct['host'] ?? [];
    const asked = judge(
      { method, url, headers: { ...headers, host: others.length === 0 ? host : undefined } },
      this.#site.token,
    );
    if ('status' in asked) {
      // What follows on this connection may be the body.
      response.writeHead(asked.status, { ...HEADERS, 'Content-Type': 'text/plain', Connection: 'close' });
      response.end(`${asked.text}\n`, () => request.destroy());
      return;
    }
    const { part, query } = asked;
    const text =
      part === 'frame'
        ? await this.#site.frame(query.get('arena') ?? '', query.get('filter') ?? '')
        : this.#site.files[part];
    response.writeHead(200, { ...HEADERS, 'Content-Type': TYPES[part], 'Content-Length': Buffer.byteLength(text) });
    response.end(method === 'HEAD' ? undefined : text);
  }
}
