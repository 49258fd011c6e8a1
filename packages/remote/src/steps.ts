// For engines that run the steps in TypeScript. No semantic versioning applies to this entry.

export {
  dropOwner,
  endedSessions,
  endsSessions,
  FORMAT,
  onlyReads,
  renewAll,
  runStep,
  takesMore,
} from './steps/run.ts';
export { Expiry } from './steps/expiry.ts';
export { isRound } from './steps/primitives.ts';
export { shapeOf, type ShapedStep } from './steps/shape.ts';
export {
  decodeState,
  emptyState,
  encodeState,
  idOf,
  seqOf,
  sessionOf,
  type LineRecord,
  type RoundState,
  type SessionState,
  type State,
} from './steps/state.ts';
