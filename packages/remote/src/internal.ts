// For engines. No semantic versioning applies to this entry.

export { checkConnect } from './connect-options.ts';
export { Interrupted, type RemoteEngine, type Listener } from './engine/engine.ts';
export { ENDING, MESSAGE } from './engine/protocol.ts';
export { pause, PLATFORM } from './engine/timing.ts';
export { RETRY_MS } from './session/attach.ts';
export { Space } from './space.ts';
