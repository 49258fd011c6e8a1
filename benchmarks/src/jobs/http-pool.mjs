// @ts-check
// The load for an HTTP server over a pool: so many connections, each of which sends its next request when it has the
// answer to the last one.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { main } from '../lib/jobs.mjs';
import { quantileSorted } from '../lib/statistics.mjs';

/** @typedef {import('../workers/http-pool-server.mjs').HttpPoolName} HttpPoolName */
/**
 * @typedef {{ pool: HttpPoolName, connections: number, rounds: number, seconds: number, warmUpSeconds: number }}
 *   HttpSpecification
 */
/**
 * @typedef {{ perSecond: number, p50Millis: number, p99Millis: number, worstMillis: number, peakMebibytes: number }}
 *   HttpResult
 */

const SERVER = fileURLToPath(new URL('../workers/http-pool-server.mjs', import.meta.url));
/** The length of a SHA-256 sum in hexadecimal digits. */
const DIGITS = 64;

await main(measure);

/** @param {HttpSpecification} specification @returns {Promise<HttpResult>} */
async function measure({ pool, connections, rounds, seconds, warmUpSeconds }) {
  const server = fork(SERVER, [pool, String(rounds)]);
  const [{ port }] = /** @type {[import('../workers/http-pool-server.mjs').Listening]} */ (
    await once(server, 'message')
  );
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  await load(agent, port, connections, warmUpSeconds);
  const times = await load(agent, port, connections, seconds);
  agent.destroy();
  server.send('end');
  const [{ peakMebibytes }] = /** @type {[import('../workers/http-pool-server.mjs').Ended]} */ (
    await once(server, 'message')
  );
  times.sort((a, b) => a - b);
  const at = (/** @type {number} */ part) => quantileSorted(times, part);
  return {
    perSecond: times.length / seconds,
    p50Millis: at(0.5),
    p99Millis: at(0.99),
    worstMillis: at(1),
    peakMebibytes,
  };
}

/**
 * Returns how long each request took, in ms.
 * @param {Agent} agent
 * @param {number} port
 * @param {number} connections
 * @param {number} seconds
 */
async function load(agent, port, connections, seconds) {
  const times = /** @type {number[]} */ ([]);
  const end = performance.now() + seconds * 1000;
  const lane = async () => {
    for (let sent = performance.now(); sent < end; sent = performance.now()) {
      await request(agent, port);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return times;
}

/** @param {Agent} agent @param {number} port @returns {Promise<void>} */
function request(agent, port) {
  return new Promise((resolve, reject) => {
    get({ agent, port, host: '127.0.0.1' }, (response) => {
      let length = 0;
      response.on('data', (/** @type {Buffer} */ part) => (length += part.length));
      response.on('end', () => {
        if (response.statusCode === 200 && length === DIGITS) resolve();
        else reject(new Error(`status ${response.statusCode}, ${length} bytes`));
      });
      response.on('error', reject);
    }).on('error', reject);
  });
}
