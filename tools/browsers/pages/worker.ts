// A module worker of a visit.

import { runJob, type Order } from '../../cases/src/worker.ts';
import { loaderOf } from './load.ts';

onmessage = ({ data }: MessageEvent<Order>) => runJob(data, loaderOf, (said) => postMessage(said));
