// A module worker of the demo: joins the arena of its scene, then runs one job after the other.

import { Arena, Region } from 'sluice';
import type { FromWorker, ToWorker } from '../shared/messages.ts';
import { consume, produce } from './buffer.ts';
import { contest } from './contest.ts';
import { dine } from './dine.ts';
import { move } from './move.ts';

let control: Int32Array = new Int32Array();

function run(message: ToWorker): FromWorker {
  if ('arena' in message) {
    control = Region.from(message.control).int32;
    return { joined: Arena.from(message.arena).agentId };
  }
  switch (message.job) {
    case 'contest':
      contest(control, message.worker, message.data);
      break;
    case 'dine':
      dine(control, message.worker, message.data);
      break;
    case 'produce':
      produce(control, message.worker, message.data);
      break;
    case 'consume':
      consume(control, message.worker, message.data);
      break;
    case 'move':
      move(control, message.worker, message.data);
      break;
  }
  return { done: true };
}

onmessage = ({ data }: MessageEvent<ToWorker>) => {
  try {
    postMessage(run(data));
  } catch (failure) {
    postMessage({
      failed:
        failure instanceof Error ? `${failure.name}: ${failure.message}\n${failure.stack ?? ''}` : String(failure),
    } satisfies FromWorker);
  }
};
