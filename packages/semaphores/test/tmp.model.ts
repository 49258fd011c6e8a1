import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { afterArrivals, Bodies, closed, orClosed } from './model/fronted-bodies.ts';
import { FrontedWorld } from './model/fronted-world.ts';
const { tryPass, take, close } = new Bodies('MultilaneSemaphore');
testModels('tmp', [2, 3, 4].map((preemptions) => new FrontedWorld(core, { lanes: 2, scheme: 0, permits: 0, agents: 3, most: 1 }).fronted(
  { name: `x${preemptions}`, bodies: [orClosed(afterArrivals(1, tryPass)), orClosed(take), afterArrivals(1, close)], options: { preemptions }, ends: null, final: closed(1) }, true)));
