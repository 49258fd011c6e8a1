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
  // A copy: the functions are exchanged when the agent leaves its arena (Seat.retire).
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
    rouse: on(steps.rouse),
    walk: on(steps.walk),
    claim: on(steps.claim),
    enrol: on(steps.enrol),
    extend: on(steps.extend),
    shelve: on(steps.shelve),
    unshelve: on(steps.unshelve),
    split: on(steps.split),
    absorb: on(steps.absorb),
    publish: on(steps.publish),
    addToPool: on(steps.addToPool),
    close: on(steps.close),
    retire: on(steps.retire),
    unhang: on(steps.unhang),
    takeOver: on(steps.takeOver),
    dismiss: on(steps.dismiss),
    forfeit: on(steps.forfeit),
    restore: on(steps.restore),
    bequeath: on(steps.bequeath),
    lock: on(steps.lock),
    unlock: on(steps.unlock),
    relock: on(steps.relock),
    unrelock: on(steps.unrelock),
    enlist: on(steps.enlist),
    handOver: on(steps.handOver),
    signal: on(steps.signal),
    consume: on(steps.consume),
    attend: on(steps.attend),
    lockReader: on(steps.lockReader),
    enlistReader: on(steps.enlistReader),
    unlockReader: on(steps.unlockReader),
    lockWriter: on(steps.lockWriter),
    enlistWriter: on(steps.enlistWriter),
    unlockWriter: on(steps.unlockWriter),
    handOverWriter: on(steps.handOverWriter),
    downgrade: on(steps.downgrade),
    enterSide: on(steps.enterSide),
    look: on(steps.look),
    countUnits: on(steps.countUnits),
    lineUp: on(steps.lineUp),
    commit: on(steps.commit),
    closeSides: on(steps.closeSides),
    resize: on(steps.resize),
    reduce: on(steps.reduce),
    depart: on(steps.depart),
    isEmpty: on(steps.isEmpty),
    enlistQueued: on(steps.enlistQueued),
    handOverQueued: on(steps.handOverQueued),
    enlistTicket: on(steps.enlistTicket),
    lockTicket: on(steps.lockTicket),
    passTicket: on(steps.passTicket),
    unlockTicket: on(steps.unlockTicket),
    enlistTts: on(steps.enlistTts),
    lockTts: on(steps.lockTts),
    passTts: on(steps.passTts),
    unlockTts: on(steps.unlockTts),
    arriveInLane: on(steps.arriveInLane),
    tryArriveInLane: on(steps.tryArriveInLane),
    evict: on(steps.evict),
    pause: on(steps.pause),
    resume: on(steps.resume),
    releaseBlindly: on(steps.releaseBlindly),
    desert: on(steps.desert),
    doze: on(steps.doze),
    emplace: on(steps.emplace),
    moveOn: on(steps.moveOn),
    rouseAll: on(steps.rouseAll),
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
    boxEnlist: on(steps.boxEnlist),
    boxRelease: on(steps.boxRelease),
    enterLane: on(steps.enterLane),
    tryEnterLane: on(steps.tryEnterLane),
    postToLanes: on(steps.postToLanes),
    beginDrain: on(steps.beginDrain),
    drawShare: on(steps.drawShare),
    endDrain: on(steps.endDrain),
  };
}
