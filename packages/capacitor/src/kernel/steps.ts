// Every step that the WebAssembly kernel of this package exports: the entry of its build.

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
