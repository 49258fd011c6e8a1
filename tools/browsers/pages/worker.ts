// A module worker: runs one job of the visit's case.

import type { ArenaHandle } from '@sluice/all';
import { caseOf, load, type Visit, type WorkerTools } from './tools.ts';

interface Order {
  readonly visit: Visit;
  readonly job: string;
  readonly data: never;
  readonly arena: ArenaHandle | undefined;
}

async function run({ visit, job, data, arena }: Order): Promise<unknown> {
  const sluice = await load(visit);
  const { jobs = {} } = await caseOf(visit);
  const opened = arena === undefined ? undefined : sluice.Arena.from(arena, visit.js ? { engine: sluice.jsEngine } : {});
  const tools = { sluice, arena: opened, say: (said: unknown) => postMessage({ said }) } as WorkerTools;
  const body = jobs[job];
  if (body === undefined) throw new Error(`no job ${job}`);
  return body(tools, data);
}

onmessage = ({ data }: MessageEvent<Order>) => {
  run(data).then(
    (returned) => postMessage({ returned }),
    (reason: unknown) => postMessage({ failed: reason instanceof Error ? `${reason.name}: ${reason.message}\n${reason.stack ?? ''}` : String(reason) }),
  );
};
