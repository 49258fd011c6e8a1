// For engines. No semantic versioning applies to this entry.

export { checkConnect, type ConnectSettings } from './connect-options.ts';
export { Interrupted, type RemoteEngine, type Listener } from './engine/engine.ts';
export { pause, PLATFORM, type Timer, type Timing } from './engine/timing.ts';
export { RETRY_MS } from './session/attach.ts';
export { Space } from './space.ts';
