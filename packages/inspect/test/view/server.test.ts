// Tests the server of the view over sockets, with requests that no browser sends.

import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ViewServer } from '../../src/view/view-server.ts';

const TOKEN = 'a-token';
let server: ViewServer;
let port: number;
let asked: string[][];

beforeEach(async () => {
  asked = [];
  server = new ViewServer({
    token: TOKEN,
    files: { '': '<!doctype html>', 'page.js': 'script', 'style.css': 'styles' },
    frame: (arena, filter) => {
      asked.push([arena, filter]);
      return filter === 'fails' ? Promise.reject(new Error('no frame')) : Promise.resolve('{"every":1}');
    },
  });
  port = await server.listen(0);
});

afterEach(() => server.close());

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function get(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, headers, method }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.once('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    asking.once('error', reject);
    asking.end();
  });
}

/** Sends text as it is. Resolves with all that came back when the server has closed the connection. */
async function send(text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (part: string) => (answer += part));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

test('the page, its script, its styles and a frame are served with their types', async () => {
  for (const [path, type, body] of [
    ['', 'text/html; charset=utf-8', '<!doctype html>'],
    ['page.js', 'text/javascript; charset=utf-8', 'script'],
    ['style.css', 'text/css; charset=utf-8', 'styles'],
    ['frame?arena=1&filter=a', 'application/json', '{"every":1}'],
  ] as const) {
    const answer = await get(`/${TOKEN}/${path}`);
    expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([200, type, body]);
  }
  expect(asked).toEqual([['1', 'a']]);
});

test('HEAD has no body', async () => {
  const answer = await get(`/${TOKEN}/`, {}, 'HEAD');
  expect([answer.status, answer.headers['content-length'], answer.body]).toEqual([200, '15', '']);
});

test.each(['/', `/${TOKEN}/frame`])('the answer to %s allows no other origin anything', async (path) => {
  const { headers } = await get(path);
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
  expect(headers['content-security-policy']).not.toContain('unsafe');
});

test.each([
  [421, { Host: 'rebound.example' }],
  [403, { Origin: 'http://localhost:3000' }],
  [403, { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' }],
])('a refusal is answered by %i, makes no frame and ends the connection: %j', async (status, headers) => {
  const answer = await get(`/${TOKEN}/frame`, headers);
  expect([answer.status, answer.headers['connection']]).toEqual([status, 'close']);
  expect(asked).toEqual([]);
});

test('a body is not read: the connection ends after the answer', async () => {
  const head = `POST /${TOKEN}/frame HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n`;
  expect(await send(head + 'x'.repeat(100_000))).toMatch(/^HTTP\/1\.1 405 /);
  expect(
    await send(`GET /${TOKEN}/frame HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`),
  ).toMatch(/^HTTP\/1\.1 413 /);
  // What looks like the body of the first request is no second request.
  const inside = `GET /${TOKEN}/frame HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const smuggled = await send(
    `GET /${TOKEN}/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${inside.length}\r\n\r\n${inside}`,
  );
  expect(smuggled.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(asked).toEqual([]);
});

test.each([
  ['two hosts', `GET /${TOKEN}/ HTTP/1.1\r\nHost: localhost\r\nHost: rebound.example\r\n\r\n`],
  ['no host', `GET /${TOKEN}/ HTTP/1.1\r\nConnection: close\r\n\r\n`],
  ['no HTTP', '\u0016\u0003\u0001\u0002\u0000\r\n\r\n'],
  ['a long line', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  ['long headers', `GET /${TOKEN}/ HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  [
    'a host for the proxy',
    `GET http://rebound.example/${TOKEN}/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  ],
  ['CONNECT', `CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  ['a socket', `GET /${TOKEN}/x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
])('a request with %s is refused, and the server goes on', async (_, text) => {
  expect(await send(text)).not.toContain('200 OK');
  expect((await get(`/${TOKEN}/`)).status).toBe(200);
});

test('a frame that fails ends its connection, and the server goes on', async () => {
  await expect(get(`/${TOKEN}/frame?filter=fails`)).rejects.toThrow();
  expect((await get(`/${TOKEN}/frame`)).body).toBe('{"every":1}');
});

test('listen() rejects if the port is taken', async () => {
  const other = new ViewServer({
    token: '',
    files: { '': '', 'page.js': '', 'style.css': '' },
    frame: () => Promise.resolve(''),
  });
  await expect(other.listen(port)).rejects.toThrow(/EADDRINUSE/);
});

test('close() ends open connections, too', async () => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET /${TOKEN}/ HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await once(socket, 'data');
  server.close();
  await once(socket, 'close');
  await expect(get(`/${TOKEN}/`)).rejects.toThrow();
});
