// @ts-check
// What a tarball's manifest and files are held to.
import { readFileSync } from 'node:fs';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { isOurs } from '../../../scripts/workspace.mjs';

/**
 * @param {string} name
 * @param {string} tarball
 * @returns {Promise<{ bytes: number, problems: string[] }>}
 */
export async function lintTarball(name, tarball) {
  const content = readFileSync(tarball);
  const bytes = content.length;
  const linted = await publint({ pack: { tarball: Uint8Array.from(content).buffer }, strict: true });
  const problems = linted.messages.map((message) => `${name}: ${formatMessage(message, linted.pkg) ?? message.code}`);

  /** @type {Record<string, string>} */
  const ranges = linted.pkg['dependencies'] ?? {};
  for (const [to, range] of Object.entries(ranges)) {
    if (isOurs(to) && !/^\d+\.\d+\.\d+/.test(range))
      problems.push(`${name}: depends on ${to} ${range}, not on one version`);
  }
  return { bytes, problems };
}
