// Passes on to the tools of this thread what the core tells.

import { AgentTitles, setObserver, type Observer } from '@sluice/core/report';
import { underCall } from './calls.ts';
import { follow, holdsAgain, yields } from './follow.ts';
import { primitiveAt, primitiveWithTag } from './used-primitive.ts';
import { active, addTool, removeTool, type ObservedReclaim, type ObservedWait, type Tool } from './tool.ts';

/** The number of waits and recoveries that were observed. */
let count = 0;

const observer: Observer = {
  waitBegins(context, line, tag, how): ObservedWait {
    const primitive = underCall(context) ?? (line === 0 ? primitiveWithTag(context, tag) : primitiveAt(context, line));
    count += 1;
    const wait: ObservedWait = { id: count, primitive, how, began: context.parking.now() };
    active?.waitBegins(wait);
    return wait;
  },
  waitEnds(wait, ending) {
    if (wait !== undefined) active?.waitEnds(wait as ObservedWait, ending);
  },
  opened: follow,
  regained: holdsAgain,
  yielded: yields,
  reclaimBegins(context, agent): ObservedReclaim {
    const title = new AgentTitles(context.words).of(agent);
    count += 1;
    const reclaim: ObservedReclaim = { id: count, context, agent, title, began: context.parking.now() };
    active?.reclaimBegins(reclaim);
    return reclaim;
  },
  reclaimEnds(reclaim, report) {
    if (reclaim !== undefined) active?.reclaimEnds(reclaim as ObservedReclaim, report);
  },
};

/**
 * Adds a tool to this thread. It is told of all waits from now on, and of the calls of locks and semaphores that the
 * thread opens from now on.
 */
export function startTool(tool: Tool): void {
  addTool(tool);
  setObserver(observer);
}

/** Removes a tool from this thread. Does nothing if it is not there. */
export function stopTool(tool: Tool): void {
  removeTool(tool);
  if (active === undefined) setObserver(undefined);
}
