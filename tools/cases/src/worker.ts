// A worker of a visit, on any platform: runs one job of its case.

import type { ArenaHandle } from 'sluice';
import { caseOf, describe, jsOptions, type Load, type Sluice, type Visit, type WorkerTools } from './tools.ts';

export interface Order {
  readonly visit: Visit;
  readonly job: string;
  readonly data: unknown;
  readonly arena: ArenaHandle | undefined;
}

/** A message of a worker to the main thread. */
export type Said = { readonly said: unknown } | { readonly returned: unknown } | { readonly failed: string };

async function run({ visit, job, data, arena }: Order, load: Load, post: (said: Said) => void): Promise<unknown> {
  const sluice = (await load('sluice')) as Sluice;
  const { jobs = {} } = await caseOf(visit.case);
  const opened = arena === undefined ? undefined : sluice.Arena.from(arena, visit.js ? await jsOptions(load) : {});
  const tools = { sluice, arena: opened, load, say: (said: unknown) => post({ said }) } as WorkerTools;
  const body = jobs[job];
  if (body === undefined) throw new Error(`no job ${job}`);
  return body(tools, data as never);
}

export function runJob(order: Order, loaderOf: (build: string) => Load, post: (said: Said) => void): void {
  run(order, loaderOf(order.visit.build), post).then(
    (returned) => post({ returned }),
    (reason: unknown) => post({ failed: describe(reason) }),
  );
}
