// The kernel of one agent: the steps bound to one arena's memory, compiled to WebAssembly or run in TypeScript.

import * as steps from './steps.ts';
import { WASM_HEX } from './wasm.generated.ts';
import { bind, type Words } from './words.ts';

export type Kernel = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
export type Engine = 'wasm' | 'js';

let compiled: WebAssembly.Module | undefined;

/** The steps in WebAssembly. Throws what the engine throws where it refuses to compile (a CSP, say). */
export function wasmKernel(memory: WebAssembly.Memory): Kernel {
  compiled ??= new WebAssembly.Module(Uint8Array.from(WASM_HEX.match(/../g) ?? [], (byte) => parseInt(byte, 16)));
  // The engine has no types for exports; the differential test holds them equal to the reference kernel's.
  // A copy: the functions are exchanged when the agent leaves its arena (AgentContext.retire).
  return { ...new WebAssembly.Instance(compiled, { env: { memory } }).exports } as unknown as Kernel;
}

/** The same steps in TypeScript, over any `Words`: the fallback, and what the model explorer runs. */
export function referenceKernel(words: Words): Kernel {
  const on = <Args extends number[], Result>(step: (...args: Args) => Result) =>
    function boundStep(...args: Args): Result {
      bind(words);
      return step(...args);
    };
  return {
    acquire: on(steps.acquire),
    adopt: on(steps.adopt),
    tryAcquire: on(steps.tryAcquire),
    drain: on(steps.drain),
    balance: on(steps.balance),
    release: on(steps.release),
    distance: on(steps.distance),
    link: on(steps.link),
    park: on(steps.park),
    poll: on(steps.poll),
    leave: on(steps.leave),
    withdraw: on(steps.withdraw),
    wakeEarly: on(steps.wakeEarly),
    walk: on(steps.walk),
    claim: on(steps.claim),
    claimRecord: on(steps.claimRecord),
    extend: on(steps.extend),
    pushFreeBlock: on(steps.pushFreeBlock),
    popFreeBlock: on(steps.popFreeBlock),
    split: on(steps.split),
    absorb: on(steps.absorb),
    publish: on(steps.publish),
    addToPool: on(steps.addToPool),
    close: on(steps.close),
    retire: on(steps.retire),
    detachTombstones: on(steps.detachTombstones),
    takeOver: on(steps.takeOver),
    dismiss: on(steps.dismiss),
    cancelDeadWaiter: on(steps.cancelDeadWaiter),
    restore: on(steps.restore),
    releaseForDeadOwner: on(steps.releaseForDeadOwner),
    lock: on(steps.lock),
    unlock: on(steps.unlock),
    relock: on(steps.relock),
    unrelock: on(steps.unrelock),
    enqueueAtMutex: on(steps.enqueueAtMutex),
    handOver: on(steps.handOver),
    signal: on(steps.signal),
    consume: on(steps.consume),
    enqueueAtEvent: on(steps.enqueueAtEvent),
    lockReader: on(steps.lockReader),
    enqueueReader: on(steps.enqueueReader),
    unlockReader: on(steps.unlockReader),
    lockWriter: on(steps.lockWriter),
    enqueueWriter: on(steps.enqueueWriter),
    unlockWriter: on(steps.unlockWriter),
    handOverWriter: on(steps.handOverWriter),
    downgrade: on(steps.downgrade),
    enterSide: on(steps.enterSide),
    look: on(steps.look),
    countUnits: on(steps.countUnits),
    enqueueAtSide: on(steps.enqueueAtSide),
    commit: on(steps.commit),
    closeSides: on(steps.closeSides),
    resize: on(steps.resize),
    reduce: on(steps.reduce),
    depart: on(steps.depart),
    isEmpty: on(steps.isEmpty),
    enqueueAtQueuedLock: on(steps.enqueueAtQueuedLock),
    handOverQueued: on(steps.handOverQueued),
    enqueueAtTicketLock: on(steps.enqueueAtTicketLock),
    lockTicket: on(steps.lockTicket),
    passTicket: on(steps.passTicket),
    unlockTicket: on(steps.unlockTicket),
    enqueueAtTts: on(steps.enqueueAtTts),
    lockTts: on(steps.lockTts),
    passTts: on(steps.passTts),
    unlockTts: on(steps.unlockTts),
    arriveInLane: on(steps.arriveInLane),
    tryArriveInLane: on(steps.tryArriveInLane),
    evict: on(steps.evict),
    pause: on(steps.pause),
    resume: on(steps.resume),
    releaseBlindly: on(steps.releaseBlindly),
    leaveChain: on(steps.leaveChain),
    sleepOnGate: on(steps.sleepOnGate),
    pushOntoChain: on(steps.pushOntoChain),
    moveOn: on(steps.moveOn),
    wakeAllAt: on(steps.wakeAllAt),
    sequence: on(steps.sequence),
    signalChain: on(steps.signalChain),
    signalKey: on(steps.signalKey),
    signalSlot: on(steps.signalSlot),
    sleepOn: on(steps.sleepOn),
    wakeUp: on(steps.wakeUp),
    bucketAt: on(steps.bucketAt),
    giveTokens: on(steps.giveTokens),
    closeOfFamily: on(steps.closeOfFamily),
    takeTokens: on(steps.takeTokens),
    closeFront: on(steps.closeFront),
    boxTake: on(steps.boxTake),
    enqueueAtBox: on(steps.enqueueAtBox),
    boxRelease: on(steps.boxRelease),
    enterLane: on(steps.enterLane),
    tryEnterLane: on(steps.tryEnterLane),
    postToLanes: on(steps.postToLanes),
    beginDrain: on(steps.beginDrain),
    drawShare: on(steps.drawShare),
    endDrain: on(steps.endDrain),
  };
}
