// A log such as a web server writes, the same for the same size. It is created once and kept in .cache.
import { existsSync, mkdirSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { pid } from 'node:process';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../.cache/', import.meta.url));
const MEGABYTE = 2 ** 20;
const SEED = 20250303;
const BEGIN_MS = Date.UTC(2025, 2, 3);
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'curl/8.5.0',
];

/**
 * Resolves with the path of the log, or with `undefined` if interrupted.
 * @param {number} megabytes
 * @param {AbortSignal} signal
 * @param {(bytes: number) => void} onProgress
 */
export async function makeLog(megabytes, signal, onProgress) {
  const path = `${CACHE}access-${megabytes}mb.log`;
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  // Under another name until it is complete.
  const draft = `${path}.${pid}`;
  const file = await open(draft, 'w');
  try {
    let bytes = 0;
    for (const text of logTexts(megabytes * MEGABYTE)) {
      if (signal.aborted) return undefined;
      await file.write(text, null, 'latin1');
      bytes += text.length;
      onProgress(bytes);
    }
    await file.close();
    await rename(draft, path);
    return path;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}

/**
 * The log, some hundred lines at a time, up to `mostBytes`.
 * @param {number} mostBytes
 */
export function* logTexts(mostBytes) {
  const random = randomNumbers(SEED);
  let [text, bytes, ms] = ['', 0, BEGIN_MS];
  for (;;) {
    ms += pauseAt(ms) * random();
    const line = logLine(ms, random);
    bytes += line.length;
    if (bytes > mostBytes) break;
    text += line;
    if (text.length < MEGABYTE / 4) continue;
    yield text;
    text = '';
  }
  yield text;
}

/**
 * In ms. Requests are most frequent at two in the afternoon.
 * @param {number} ms
 */
function pauseAt(ms) {
  const hour = Math.floor(ms / 3_600_000) % 24;
  return 200 + 30 * Math.abs(hour - 14);
}

/**
 * @param {number} ms
 * @param {() => number} random
 */
function logLine(ms, random) {
  const below = (/** @type {number} */ most) => Math.floor(most * random());
  const client = `${10 + below(200)}.${below(256)}.${below(256)}.${below(256)}`;
  const begin = `${client} - - [${timestamp(ms)}]`;
  // A client that speaks another protocol.
  if (below(5000) === 0) return `${begin} "\\x16\\x03\\x01" 400 -\n`;
  const status = [200, 200, 200, 200, 200, 200, 304, 301, 404, 500][below(10)];
  const bytes = status === 304 ? '-' : below(40_000);
  return `${begin} "${path(below)}" ${status} ${bytes} "-" "${AGENTS[below(AGENTS.length)]}"\n`;
}

/** @param {(most: number) => number} below */
function path(below) {
  const kind = below(10);
  if (kind === 0) return `POST /api/orders HTTP/1.1`;
  if (kind < 3) return `GET /search?q=${below(1e6).toString(36)} HTTP/1.1`;
  if (kind < 6) return `GET /static/part-${below(40)}.js HTTP/2.0`;
  // Articles with low numbers are requested more often.
  return `GET /articles/${below(1 + below(1000))} HTTP/2.0`;
}

let [stampSecond, stamp] = [0, ''];

/** @param {number} ms */
function timestamp(ms) {
  const second = Math.floor(ms / 1000);
  if (second === stampSecond) return stamp;
  const date = new Date(second * 1000);
  const day = `${String(date.getUTCDate()).padStart(2, '0')}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}`;
  [stampSecond, stamp] = [second, `${day}:${date.toISOString().slice(11, 19)} +0000`];
  return stamp;
}

/**
 * Mulberry32: numbers from 0 to 1, the same for the same seed.
 * @param {number} seed
 */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
