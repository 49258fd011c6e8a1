// The page of a visit: runs one case and posts how it ended.

import { caseOf, load, type Job, type PageTools, type Visit } from './tools.ts';

const parameters = new URLSearchParams(location.search);
const get = (name: string): string => parameters.get(name) ?? '';
const visit: Visit = { case: get('case'), build: new URL(get('build'), location.href).href, js: get('js') === 'true' };

type Said = { readonly said: unknown } | { readonly returned: unknown } | { readonly failed: string };

/** Values that a worker has said, and takers that wait for them. */
class Mail {
  readonly #values: unknown[] = [];
  readonly #takers: ((value: unknown) => void)[] = [];

  put(value: unknown): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#values.push(value);
    else taker(value);
  }

  take(): Promise<unknown> {
    return this.#values.length > 0 ? Promise.resolve(this.#values.shift()) : new Promise((resolve) => this.#takers.push(resolve));
  }
}

const workers: Worker[] = [];

function start(arena: PageTools['arena'] | undefined, job: string, data: unknown): Job {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { type: 'module' });
  workers.push(worker);
  const mail = new Mail();
  const done = new Promise<unknown>((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(`the worker could not run ${job}: ${message}`));
    worker.onmessage = ({ data: said }: MessageEvent<Said>) => {
      if ('said' in said) mail.put(said.said);
      else if ('returned' in said) resolve(said.returned);
      else reject(new Error(`${job}: ${said.failed}`));
    };
  });
  // A job that is not awaited fails the visit, too.
  done.catch(fail);
  worker.postMessage({ visit, job, data, arena: arena?.handle });
  return { worker, done, next: () => mail.take() };
}

let fail: (reason: unknown) => void = () => undefined;

async function run(): Promise<unknown> {
  const failed = new Promise<never>((_, reject) => (fail = reject));
  const sluice = await load(visit);
  const isShared = typeof SharedArrayBuffer === 'function';
  const arena = isShared && get('arena') !== 'none' ? sluice.Arena.create(visit.js ? { engine: sluice.jsEngine } : {}) : undefined;
  const { page } = await caseOf(visit);
  // Without an arena the case is about that.
  const tools = { sluice, arena, visit, start: (job: string, data?: unknown) => start(arena, job, data) } as PageTools;
  return Promise.race([page(tools), failed]);
}

/** A stack does not begin with the message in every browser. */
function describe(reason: unknown): string {
  return reason instanceof Error ? `${reason.name}: ${reason.message}\n${reason.stack ?? ''}` : String(reason);
}

const result = await run().then(
  (returned) => ({ returned: returned ?? null }),
  (reason: unknown) => ({ failed: describe(reason) }),
);
for (const worker of workers) worker.terminate();
await fetch(`result/${get('id')}`, { method: 'POST', body: JSON.stringify(result) });
