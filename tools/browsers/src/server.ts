// A static server for the pages of the tests. The first part of a path says with which headers everything below it is
// served.

import { transform } from 'esbuild';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/**
 * `isolated`: as a page needs it. `plain`: without the two headers. `nowasm`: with a policy that does not name
 * 'wasm-unsafe-eval'.
 */
const MODES = {
  isolated: ISOLATED,
  plain: {},
  nowasm: { ...ISOLATED, 'Content-Security-Policy': "default-src 'self'; script-src 'self'" },
} as const;
export type Mode = keyof typeof MODES;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.ts': 'text/javascript',
};
const packages = fileURLToPath(new URL('../../../packages', import.meta.url));
const tools = fileURLToPath(new URL('../..', import.meta.url));
const msgpackr = join(packages, 'bounded-buffer', 'node_modules', 'msgpackr');

const isMode = (name: string): name is Mode => Object.hasOwn(MODES, name);

/**
 * The folders of the tools, and an installation: what is served below node_modules is what a user's server would find
 * there.
 */
function fileOf(path: string): string | undefined {
  if (path.includes('..')) return undefined;
  const [, name = '', rest = ''] = /^node_modules\/(?:@sluice\/)?([^/]+)\/(dist\/.+)$/.exec(path) ?? [];
  if (name === 'sluice' || path.startsWith('node_modules/@sluice/')) return join(packages, name, rest);
  if (path.startsWith('node_modules/msgpackr/')) return join(msgpackr, path.slice('node_modules/msgpackr/'.length));
  return /^(browsers\/pages|cases\/src)\//.test(path) ? join(tools, path) : undefined;
}

async function contentOf(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  return extname(file) === '.ts'
    ? (await transform(text, { loader: 'ts', target: 'es2022', sourcefile: file })).code
    : text;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

export class TestServer {
  readonly #server: Server;
  /** By the id of the visit. */
  readonly #visits = new Map<string, (result: string) => void>();

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((failure: unknown) => response.writeHead(500).end(String(failure)));
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** 127.0.0.1 would do too, but a page at `localhost` is a secure context in every browser. */
  urlOf(mode: Mode, path: string): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}/${mode}/${path}`;
  }

  /** The messages of the page of that visit. */
  resultOf(id: string): Promise<string> {
    return new Promise((resolve) => this.#visits.set(id, resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, mode = '', ...rest] = new URL(request.url ?? '/', 'http://localhost').pathname.split('/');
    if (!isMode(mode)) return void response.writeHead(404).end();
    const path = rest.join('/');
    if (request.method === 'POST') {
      this.#visits.get(path.replace(/^.*\/result\//, ''))?.(await bodyOf(request));
      return void response.writeHead(204).end();
    }
    const file = fileOf(path);
    if (file === undefined || !existsSync(file)) return void response.writeHead(404, MODES[mode]).end(`no ${path}`);
    response.writeHead(200, {
      ...MODES[mode],
      'Content-Type': TYPES[extname(file)] ?? 'text/plain',
      'Cache-Control': 'no-store',
    });
    response.end(await contentOf(file));
  }
}
