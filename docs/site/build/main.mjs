#!/usr/bin/env node
// @ts-check
// Builds the site into docs/site/.vitepress/dist, and follows its links. A warning of typedoc or a dead link is a
// failure.
//   --origin=https://host/owner/name  where the repository is, for links to files that are no pages
//   --base=/path/                     the path of the site on its host
//   --serve                           shows the site on this machine instead, and follows changes of the hand-written
//                                     pages' copies
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process, { argv, env, execPath, exit, stderr, stdout } from 'node:process';
import { pathToFileURL } from 'node:url';
import { originFrom } from '../../../scripts/release/origin.mjs';
import { pnpm } from '../../../scripts/pnpm.mjs';
import { fingerprint, root } from '../../../scripts/workspace.mjs';
import { makeApi } from './api.mjs';
import { assemble } from './assemble.mjs';
import { checkLinks } from './check-links.mjs';

const site = join(root, 'docs', 'site');
const pages = join(site, '.cache', 'pages');
const dist = join(site, '.vitepress', 'dist');
const stamp = join(site, 'node_modules', '.sluice-installed');

const base = argv.find((arg) => arg.startsWith('--base='))?.slice('--base='.length) ?? env['SITE_BASE'] ?? '/';
const { origin } = originFrom(argv);

/** The site's own packages, with a lockfile of their own: they are larger than everything else together. */
function install() {
  const wanted = fingerprint(['package.json', 'pnpm-lock.yaml'].map((name) => join(site, name)));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const { status, output } = pnpm(
    ['install', '--dir', site, '--ignore-workspace', '--frozen-lockfile', '--prefer-offline'],
    'capture',
  );
  if (status !== 0) {
    stderr.write(output);
    exit(status);
  }
  writeFileSync(stamp, wanted);
}

/** @param {string[]} args */
function vitepress(args) {
  const bin = join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  const { status } = spawnSync(execPath, [bin, ...args], {
    stdio: 'inherit',
    cwd: site,
    env: { ...env, SITE_BASE: base, SITE_ORIGIN: origin },
  });
  if (status !== 0) exit(status ?? 1);
}

/**
 * @template Result
 * @param {string} what
 * @param {() => Result} run
 */
function timed(what, run) {
  const start = performance.now();
  const result = run();
  stdout.write(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  return result;
}

/** Builds the page of the live demo. The demo is absent from a tree without the packages that it uses. */
async function buildDemo() {
  const program = join(root, 'examples', 'live-demo', 'build.mjs');
  if (!existsSync(program)) return;
  /** @type {{ buildDemo: (to: string, pages: string) => Promise<unknown> }} */
  const demo = await import(pathToFileURL(program).href);
  await demo.buildDemo(join(pages, 'public', 'demo'), '../');
}

mkdirSync(join(site, '.cache'), { recursive: true });
timed('installing', install);
const count = timed('gathering pages', () => assemble({ pages, origin }));
await buildDemo();
const warnings = timed('documenting the API', () => makeApi(site, pages));
if (warnings !== '') {
  stderr.write(`${warnings}\n`);
  process.exitCode = 1;
}
if (argv.includes('--serve')) vitepress(['dev', site]);
else {
  timed('building', () => vitepress(['build', site]));
  const { links, problems } = checkLinks(dist, base);
  for (const problem of problems) stderr.write(`${problem}\n`);
  stdout.write(`site: ${count} documents, ${links} links followed, ${problems.length} dead\n`);
  if (problems.length > 0) process.exitCode = 1;
}
