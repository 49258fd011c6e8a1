// @ts-check
// Where the repository lives. The one place that says so: a release sets it here, by an argument or in the environment.
import { env } from 'node:process';

const ORIGIN = 'https://repository.example/sluice'; // a placeholder

/**
 * From `--origin=https://…`, then from `SLUICE_ORIGIN`. No host has a name below `.example`, so such an origin is a
 * placeholder.
 * @param {readonly string[]} args
 * @returns {{ origin: string, isPlaceholder: boolean }}
 */
export function originFrom(args) {
  const argument = args.find((arg) => arg.startsWith('--origin='))?.slice('--origin='.length);
  const origin = (argument ?? env['SLUICE_ORIGIN'] ?? ORIGIN).replace(/\/+$/, '').replace(/\.git$/, '');
  if (!/^https:\/\/[^/\s]+\/[^\s?#]+$/.test(origin))
    throw new Error(`Expected the origin as https://host/path. Received: ${origin}`);
  return { origin, isPlaceholder: new URL(origin).hostname.endsWith('.example') };
}
