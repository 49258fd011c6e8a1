// @ts-check
// Which browsers there are on this machine.
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env, platform } from 'node:process';

/** @typedef {'chromium' | 'firefox' | 'webkit'} BrowserName */

/**
 * The programs that a browser needs: one of each list.
 * @type {Readonly<Record<BrowserName, { packages: readonly string[], programs: readonly (readonly string[])[] }>>}
 */
const NEEDS = {
  chromium: { packages: ['chromium'], programs: [['chromium', 'chromium-browser', 'google-chrome']] },
  firefox: { packages: ['firefox-esr'], programs: [['firefox-esr', 'firefox']] },
  webkit: { packages: ['webkit2gtk-driver', 'xvfb'], programs: [['WebKitWebDriver'], ['Xvfb']] },
};

/** Those that the tests use: all, or the ones that SLUICE_BROWSERS names, separated by commas. */
export const BROWSERS = chosen(/** @type {BrowserName[]} */ (Object.keys(NEEDS)), env['SLUICE_BROWSERS']);

/**
 * @param {readonly BrowserName[]} all
 * @param {string | undefined} names
 */
function chosen(all, names) {
  if (names === undefined || names === '') return all;
  const wanted = names.split(',');
  const strangers = wanted.filter((name) => !(/** @type {readonly string[]} */ (all).includes(name)));
  if (strangers.length > 0)
    throw new Error(`SLUICE_BROWSERS names ${strangers.join(', ')}: the tests know ${all.join(', ')}`);
  return all.filter((name) => wanted.includes(name));
}

/** @param {string} program */
function onPath(program) {
  const folders = (env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file));
}

/**
 * The programs that the tests start, in the order of `NEEDS`. `undefined`: one of them is missing, or the browser is
 * not to be used.
 * @param {BrowserName} name
 * @returns {string[] | undefined}
 */
export function programsOf(name) {
  if (!BROWSERS.includes(name)) return undefined;
  const found = NEEDS[name].programs.map((names) => names.map(onPath).find((file) => file !== undefined));
  return found.every((file) => file !== undefined) ? found : undefined;
}

/** @returns {BrowserName[]} */
export const missing = () => BROWSERS.filter((name) => programsOf(name) === undefined);

/** @param {readonly BrowserName[]} names */
export function installCommand(names) {
  return ['apt-get', 'install', '-y', '--no-install-recommends', ...names.flatMap((name) => NEEDS[name].packages)];
}

/**
 * @param {readonly BrowserName[]} names
 * @returns {string} one line
 */
export function howToInstall(names) {
  const how =
    platform === 'linux'
      ? `on Debian: ${installCommand(names).join(' ')}`
      : 'the tests look for the programs of Debian on the PATH';
  return `*** No ${names.join(', no ')}: the tests in ${names.length > 1 ? 'these browsers are' : 'this browser is'} SKIPPED (${how}) ***`;
}

/** The browser that WebKitWebDriver starts: Debian keeps it beside the library. */
export function miniBrowser() {
  const libraries = '/usr/lib';
  const folders = readdirSync(libraries).flatMap((machine) => [libraries, join(libraries, machine)]);
  const all = [...new Set(folders)].flatMap((folder) => {
    try {
      return readdirSync(folder)
        .filter((name) => name.startsWith('webkit2gtk-'))
        .map((name) => join(folder, name, 'MiniBrowser'));
    } catch {
      return [];
    }
  });
  return all.filter((file) => existsSync(file)).at(-1);
}
