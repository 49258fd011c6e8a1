import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

/**
 * Resolves when the response has arrived.
 * @param {string} url
 * @returns {Promise<void>}
 */
export function get(url) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent }, (response) => response.on('end', resolve).resume());
    asked.on('error', reject).end();
  });
}
