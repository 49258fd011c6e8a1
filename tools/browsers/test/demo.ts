// The live demo page of examples/live-demo: each scene starts, makes progress and stops, and the last one recovers from a death.

import { expect } from 'vitest';
import type { Browser } from '../src/browser.ts';
import { startServer } from './example.ts';

const WATCHDOG = { timeout: 25_000, interval: 100 };
const SCENES = ['fair', 'turns', 'capacitor', 'philosophers', 'buffer', 'killed'];

/** Runs each scene. Returns what the page wrote to the console. */
export async function runDemo(browser: Browser, withHeaders: boolean): Promise<string[]> {
  const { url, stop } = await startServer('live-demo/serve.mjs', withHeaders ? [] : ['--no-headers']);
  try {
    await browser.visit(url);
    // Without the headers the page loads twice.
    await expect.poll(() => textOf(browser, '#killed .state'), WATCHDOG).toBe('Stopped');
    for (const scene of SCENES) await runScene(browser, scene);
    return browser.said();
  } finally {
    stop();
  }
}

async function runScene(browser: Browser, scene: string): Promise<void> {
  const total = async (): Promise<number> => Number((await textOf(browser, `#${scene} [data-total]`)).replaceAll(',', '').replace('M', '00000'));
  const state = (): Promise<string> => textOf(browser, `#${scene} .state`);
  await browser.click(`#${scene} [data-action=toggle]`);
  await expect.poll(total, { ...WATCHDOG, message: scene }).toBeGreaterThan(0);
  expect(await state()).toBe('Running');
  const before = await total();
  await expect.poll(total, WATCHDOG).toBeGreaterThan(before);
  if (scene === 'killed') await killOwner(browser);
  await browser.click(`#${scene} [data-action=toggle]`);
  await expect.poll(state, { ...WATCHDOG, message: `${scene} after its stop` }).toBe('Stopped');
  const stopped = await total();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await total(), `${scene}: passes after its stop`).toBe(stopped);
  if (scene === 'killed') expect(await textOf(browser, '#killed [data-sum]')).toBe('1000');
}

async function killOwner(browser: Browser): Promise<void> {
  await browser.click('#killed [data-action=kill]');
  await expect.poll(() => textOf(browser, '#killed .log'), WATCHDOG).toContain('A new worker took the place');
  await expect.poll(() => textOf(browser, '#killed .log'), WATCHDOG).toContain('repaired the accounts');
  await expect.poll(() => textOf(browser, '#killed [data-repairs]'), WATCHDOG).toBe('1 ×');
}

/** While the page loads, the element is not there yet. */
async function textOf(browser: Browser, selector: string): Promise<string> {
  return browser.text(selector).catch(() => '');
}
