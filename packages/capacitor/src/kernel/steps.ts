// Every step that the WebAssembly kernel of this package exports: the entry of its build.

export { depart, departForDead, isEmpty } from './capacitor.ts';
export { arriveInLane, cancelDeadLaneWait, tryArriveInLane, walkLanes } from './lanes.ts';
export {
  cancelDeadTurnstileWait,
  cancelTurnstileWait,
  endTurn,
  endTurnForDead,
  enqueueAtTurnstile,
  evict,
  passTurn,
  pause,
  pollTurnstile,
  resume,
  takeTurn,
} from './turnstile.ts';
