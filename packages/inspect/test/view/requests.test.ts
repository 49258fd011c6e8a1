// Tests which requests the view answers.

import { describe, expect, test } from 'vitest';
import { judge, type AskedFor } from '../../src/view/requests.ts';

const TOKEN = 'hGnGzj4-HAxsvifQr-6exMdb';
const HOST = '127.0.0.1:7411';

function ask({ method = 'GET', url = `/${TOKEN}/`, headers = {} }: Partial<AskedFor> = {}): unknown {
  const outcome = judge({ method, url, headers: { host: HOST, ...headers } }, TOKEN);
  return 'status' in outcome ? outcome.status : outcome.part;
}

test.each([
  [`/${TOKEN}/`, ''],
  [`/${TOKEN}/page.js`, 'page.js'],
  [`/${TOKEN}/style.css`, 'style.css'],
  [`/${TOKEN}/frame?arena=1&filter=a%20b`, 'frame'],
])('%s is answered', (url, part) => {
  expect(ask({ url })).toBe(part);
});

test('the query of a frame is decoded', () => {
  const outcome = judge(
    { method: 'GET', url: `/${TOKEN}/frame?arena=7&filter=a%20%3C?`, headers: { host: HOST } },
    TOKEN,
  );
  expect('query' in outcome && [...outcome.query]).toEqual([
    ['arena', '7'],
    ['filter', 'a <?'],
  ]);
});

test.each([
  '/',
  '',
  '*',
  `/${TOKEN}`,
  `/${TOKEN.slice(0, -1)}/`,
  `/${TOKEN}x/`,
  `/${TOKEN.toLowerCase()}/`,
  `//${TOKEN}/`,
  `/x/../${TOKEN}/`,
  `/%68GnGzj4-HAxsvifQr-6exMdb/`,
  `/?${TOKEN}/`,
  `http://${HOST}/${TOKEN}/`,
  `/${TOKEN}/other`,
  `/${TOKEN}/../frame`,
  `/${TOKEN}/frame/`,
])('without the token and the name of a part, as in %j, nothing is there', (url) => {
  expect(ask({ url })).toBe(404);
});

test('no token is as good as an empty one', () => {
  expect(judge({ method: 'GET', url: '//frame', headers: { host: HOST } }, TOKEN)).toMatchObject({ status: 404 });
});

describe('the host', () => {
  test.each(['127.0.0.1:7411', '127.0.0.1', 'localhost:7411', 'LocalHost:80', 'localhost:9000'])(
    '%s is served',
    (host) => {
      expect(ask({ headers: { host } })).toBe('');
    },
  );

  // A hostile name that a DNS server lets point to 127.0.0.1.
  test.each([
    'rebound.example:7411',
    'localhost.example:7411',
    'example-localhost',
    '127.0.0.1.example',
    '127.0.0.1:7411@example.com',
    '0.0.0.0:7411',
    '192.168.1.4:7411',
    '[::1]:7411',
    '',
    undefined,
    ['localhost', 'rebound.example'],
  ])('%j is refused', (host) => {
    expect(ask({ headers: { host } })).toBe(421);
  });
});

describe('the origin', () => {
  test('a request of the page itself is served', () => {
    expect(ask({ headers: { origin: `http://${HOST}` } })).toBe('');
  });

  test.each([
    'http://rebound.example',
    'http://localhost:3000',
    'http://127.0.0.1:7412',
    `https://${HOST}`,
    'null',
    '',
    `http://${HOST}, http://rebound.example`,
  ])('%j is refused', (origin) => {
    expect(ask({ url: `/${TOKEN}/frame`, headers: { origin } })).toBe(403);
  });
});

describe('a browser that says from where a request comes', () => {
  const from = (site: string, mode = 'no-cors', dest = 'script'): AskedFor['headers'] => ({
    'sec-fetch-site': site,
    'sec-fetch-mode': mode,
    'sec-fetch-dest': dest,
  });

  test.each(['same-origin', 'none'])('a request from %s is served', (site) => {
    expect(ask({ url: `/${TOKEN}/frame`, headers: from(site) })).toBe('frame');
  });

  test.each(['cross-site', 'same-site'])('a request of a page that is %s is refused', (site) => {
    expect(ask({ url: `/${TOKEN}/frame`, headers: from(site, 'cors', 'empty') })).toBe(403);
    expect(ask({ url: `/${TOKEN}/page.js`, headers: from(site) })).toBe(403);
    expect(ask({ headers: from(site, 'navigate', 'iframe') })).toBe(403);
    expect(ask({ url: `/${TOKEN}/frame`, headers: from(site, 'navigate', 'document') })).toBe(403);
  });

  test('a link from elsewhere may open the page', () => {
    expect(ask({ headers: from('cross-site', 'navigate', 'document') })).toBe('');
  });
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'get', ''])('the method %j is refused', (method) => {
  expect(ask({ method })).toBe(405);
});

test('HEAD is served', () => {
  expect(ask({ method: 'HEAD' })).toBe('');
});

test.each([
  { 'content-length': '1' },
  { 'content-length': '00' },
  { 'content-length': '99999999999999999999' },
  { 'transfer-encoding': 'chunked' },
])('a request with a body is refused: %j', (headers) => {
  expect(ask({ headers })).toBe(413);
});

test('an empty body is none', () => {
  expect(ask({ headers: { 'content-length': '0' } })).toBe('');
});
