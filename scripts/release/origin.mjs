// @ts-check
// Where the repository lives. The one place that says so: a release sets it by an argument or in the environment.
import { env } from 'node:process';

const PLACEHOLDER = 'https://repository.example/sluice';

/**
 * From `--origin=https://…`, then from `SLUICE_ORIGIN`.
 * @param {readonly string[]} args
 * @returns {{ origin: string, isPlaceholder: boolean }}
 */
export function originFrom(args) {
  const argument = args.find((arg) => arg.startsWith('--origin='))?.slice('--origin='.length);
  const origin = (argument ?? env['SLUICE_ORIGIN'] ?? PLACEHOLDER).replace(/\/+$/, '').replace(/\.git$/, '');
  if (!/^https:\/\/[^/\s]+\/[^\s?#]+$/.test(origin)) throw new Error(`Expected the origin as https://host/path. Received: ${origin}`);
  return { origin, isPlaceholder: origin === PLACEHOLDER };
}
