// A worker of the global `Worker`, on Bun and Deno.

import { runJob, type Order } from '../worker.ts';
import { loaderOf } from './load.ts';

onmessage = ({ data }: MessageEvent<Order>) => runJob(data, loaderOf, (said) => postMessage(said));
