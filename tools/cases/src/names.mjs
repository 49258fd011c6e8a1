// @ts-check
// The names of all cases.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('cases', import.meta.url));

/** @returns {string[]} */
export const caseNames = () =>
  readdirSync(folder)
    .map((file) => file.replace(/\.ts$/, ''))
    .sort();
