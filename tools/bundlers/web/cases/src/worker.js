import { runJob } from './cases/worker.ts';
import { loaderOf } from './load.js';

onmessage = ({ data }) => runJob(data, loaderOf, (said) => postMessage(said));
