// @ts-check
// One process of the benchmark.
import { takeAndRelease } from '../lib/take-and-release.mjs';
import { SUBJECTS } from './subjects.mjs';

await takeAndRelease(SUBJECTS);
