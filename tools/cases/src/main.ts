// The main thread of a visit, on any platform.

import type { Arena } from 'sluice';
import { Mail } from './mail.ts';
import {
  caseOf,
  describe,
  jsOptions,
  type AnyWorker,
  type Job,
  type Load,
  type MainTools,
  type Platform,
  type Sluice,
  type Visit,
} from './tools.ts';
import type { Order, Said } from './worker.ts';

/** A worker that the host has started; it waits for an order. */
export interface Started {
  readonly worker: AnyWorker;
  readonly post: (order: Order) => void;
  readonly onSaid: (listener: (said: Said) => void) => void;
  readonly onFailure: (listener: (message: string) => void) => void;
}

export interface Host {
  readonly platform: Platform;
  readonly loaderOf: (build: string) => Load;
  readonly fileOf: (name: string) => URL;
  readonly startWorker: () => Started;
}

/** How a visit ended. */
export type Result = { readonly returned: unknown } | { readonly failed: string };

export async function runMain(visit: Visit, { platform, loaderOf, fileOf, startWorker }: Host): Promise<Result> {
  const workers: AnyWorker[] = [];
  let fail: (reason: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));

  function start(arena: Arena | undefined, job: string, data: unknown, mayDie: boolean): Job {
    const { worker, post, onSaid, onFailure } = startWorker();
    workers.push(worker);
    const mail = new Mail();
    const done = new Promise<unknown>((resolve, reject) => {
      onFailure((message) => reject(new Error(`the worker could not run ${job}: ${message}`)));
      onSaid((said) => {
        if ('said' in said) mail.put(said.said);
        else if ('returned' in said) resolve(said.returned);
        else reject(new Error(`${job}: ${said.failed}`));
      });
    });
    // A job that the case does not await fails the visit, too.
    done.catch((reason: unknown) => {
      if (!mayDie) fail(reason);
    });
    post({ visit, job, data, arena: arena?.handle });
    return { worker, done, next: () => mail.take() };
  }

  async function run(): Promise<unknown> {
    const load = loaderOf(visit.build);
    const sluice = (await load('sluice')) as Sluice;
    const arena = visit.bare ? undefined : sluice.Arena.create(visit.js ? await jsOptions(load) : {});
    const { main } = await caseOf(visit.case);
    const startJob: MainTools['start'] = (job, data, { mayDie = false } = {}) => start(arena, job, data, mayDie);
    // Without an arena the case is about that.
    return main({ sluice, arena, load, visit, platform, fileOf, start: startJob } as MainTools);
  }

  const result = await Promise.race([run(), failed]).then(
    (returned) => ({ returned: returned ?? null }),
    (reason: unknown) => ({ failed: describe(reason) }),
  );
  for (const worker of workers) worker.terminate();
  return result;
}
