// WebKitGTK by WebKitWebDriver, the W3C protocol over HTTP. It draws on a display in memory: it has no mode without
// one.

import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import process, { env } from 'node:process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { miniBrowser } from './installed.mjs';
import type { Tab } from './tab.ts';

const MAX_START_MS = 60_000;

/**
 * WebKitGTK shows `SharedArrayBuffer` on every page with this setting, whatever its headers, and on none without it.
 */
const SHARED = { JSC_useSharedArrayBuffer: '1' };
/** The sandbox of WebKit does not start as root. */
const SETTINGS = {
  WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  NO_AT_BRIDGE: '1',
};

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Xvfb chooses a free display, and writes its number to its third pipe when it is ready. */
async function startDisplay(program: string): Promise<{ child: ChildProcess; display: string }> {
  const child = spawn(program, ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const pipe = child.stdio[3] as Readable;
  const number = await new Promise<string>((resolve, reject) => {
    pipe.once('data', (text: Buffer) => resolve(text.toString().trim()));
    child.once('exit', (code) => reject(new Error(`Xvfb ended with code ${String(code)}.`)));
    child.once('error', reject);
  });
  return { child, display: `:${number}` };
}

interface Answer {
  readonly value: unknown;
}

export class WebKit implements Tab {
  readonly version: string;
  readonly #children: readonly ChildProcess[];
  readonly #session: string;

  private constructor(children: readonly ChildProcess[], session: string, version: string) {
    this.#children = children;
    this.#session = session;
    this.version = version;
  }

  static async start(driver: string, xvfb: string, isShared: boolean): Promise<WebKit> {
    const { child: display, display: name } = await startDisplay(xvfb);
    const port = await freePort();
    const child = spawn(driver, [`--port=${port}`], {
      stdio: 'ignore',
      env: { ...env, ...SETTINGS, ...(isShared ? SHARED : {}), DISPLAY: name, GDK_BACKEND: 'x11' },
    });
    const children = [child, display];
    process.once('exit', () => kill(children));
    try {
      const url = `http://127.0.0.1:${port}`;
      await untilAnswers(url);
      const capabilities = {
        alwaysMatch: { 'webkitgtk:browserOptions': { binary: miniBrowser(), args: ['--automation'] } },
      };
      const { sessionId, capabilities: given } = (await ask(`${url}/session`, { capabilities })) as {
        sessionId: string;
        capabilities: Record<string, unknown>;
      };
      return new WebKit(
        children,
        `${url}/session/${sessionId}`,
        `${String(given['browserName'])}/${String(given['browserVersion'])}`,
      );
    } catch (failure) {
      kill(children);
      throw failure;
    }
  }

  async visit(url: string): Promise<void> {
    await ask(`${this.#session}/url`, { url });
  }

  said(): string[] {
    return [];
  }

  async text(selector = 'body'): Promise<string> {
    return String(await this.#run('return document.querySelector(arguments[0]).innerText', [selector]));
  }

  async click(selector: string): Promise<void> {
    await this.#run(
      'const e = document.querySelector(arguments[0]); e.scrollIntoView({ behavior: "instant", block: "center" }); e.click()',
      [selector],
    );
  }

  value(expression: string): Promise<unknown> {
    return this.#run(`return ${expression}`, []);
  }

  async resize(width: number, height: number): Promise<void> {
    await ask(`${this.#session}/window/rect`, { width, height });
  }

  #run(script: string, args: readonly string[]): Promise<unknown> {
    return ask(`${this.#session}/execute/sync`, { script, args });
  }

  async close(): Promise<void> {
    await fetch(this.#session, { method: 'DELETE' }).catch(() => undefined);
    kill(this.#children);
  }
}

function kill(children: readonly ChildProcess[]): void {
  for (const child of children) child.kill();
}

/** One command of WebDriver. */
async function ask(url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) });
  const { value } = (await response.json()) as Answer;
  if (!response.ok) throw new Error(`WebKitWebDriver: ${JSON.stringify(value)}`);
  return value;
}

async function untilAnswers(url: string): Promise<void> {
  const deadline = performance.now() + MAX_START_MS;
  for (;;) {
    const answers = await fetch(`${url}/status`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers) return;
    if (performance.now() > deadline) throw new Error('WebKitWebDriver did not start.');
    await sleep(50);
  }
}
