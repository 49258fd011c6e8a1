// What the engine's inspector tells a thread about its own objects: the id of a buffer, which is the same in every
// thread, the timers that are set, and the place of a function.
//
// A session of the thread itself answers within the call.

import type { Session } from 'node:inspector';
import process from 'node:process';

/** The property of the global object through which an object reaches the inspector. It is there during a call only. */
const HANDOVER = '@sluice/inspect why';

interface RemoteObject {
  readonly objectId?: string;
  readonly value?: unknown;
}

interface Property {
  readonly name: string;
  readonly value?: RemoteObject;
}

interface Location {
  readonly scriptId: string;
  readonly lineNumber: number;
}

type Post = (method: string, params: object, callback: (failure: Error | null, result: unknown) => void) => void;

/** The inspector of the calling thread. */
export class OwnInspector {
  readonly #session: Session;
  readonly #key = Symbol.for(HANDOVER);

  private constructor(session: Session) {
    this.#session = session;
  }

  /** Returns `undefined` if this Node.js has no inspector, or does not allow it. */
  static open(): OwnInspector | undefined {
    try {
      const module = process.getBuiltinModule('node:inspector');
      const session = new module.Session();
      session.connect();
      return new OwnInspector(session);
    } catch {
      return undefined;
    }
  }

  /** Returns the engine's id of the memory of a buffer. Returns 0 if the engine does not tell. */
  idOf(buffer: SharedArrayBuffer): number {
    const { internalProperties } = this.#propertiesOf(buffer);
    const id = Number(internalProperties?.find(({ name }) => name === '[[ArrayBufferData]]')?.value?.value);
    return Number.isFinite(id) ? id : 0;
  }

  /** Returns all objects with that prototype. It collects garbage first. */
  instancesOf(prototype: object): unknown[] {
    const found: { objects?: unknown } = {};
    this.#withObject(prototype, (prototypeObjectId) => {
      const { objects } = this.#ask('Runtime.queryObjects', { prototypeObjectId, objectGroup: HANDOVER }) as {
        readonly objects?: RemoteObject;
      };
      Reflect.set(globalThis, this.#key, found);
      this.#ask('Runtime.callFunctionOn', {
        objectId: objects?.objectId,
        functionDeclaration: `function () { globalThis[Symbol.for(${JSON.stringify(HANDOVER)})].objects = this; }`,
      });
    });
    return Array.isArray(found.objects) ? (found.objects as unknown[]) : [];
  }

  /** Returns the places of functions, such as "file:///app.mjs:12". Returns '' for one without a place. */
  placesOf(functions: readonly unknown[]): string[] {
    const urls = new Map<string, string>();
    const onScript = ({ params }: { readonly params: { readonly scriptId: string; readonly url: string } }): void => {
      urls.set(params.scriptId, params.url);
    };
    this.#session.on('Debugger.scriptParsed', onScript);
    this.#ask('Debugger.enable', {});
    try {
      return functions.map((each) => {
        if (typeof each !== 'function') return '';
        const { internalProperties } = this.#propertiesOf(each);
        const at = internalProperties?.find(({ name }) => name === '[[FunctionLocation]]')?.value?.value as
          | Location
          | undefined;
        const url = urls.get(at?.scriptId ?? '') ?? '';
        return at === undefined || url === '' ? '' : `${url}:${at.lineNumber + 1}`;
      });
    } finally {
      this.#ask('Debugger.disable', {});
      this.#session.off('Debugger.scriptParsed', onScript);
    }
  }

  #propertiesOf(object: object): { readonly internalProperties?: readonly Property[] } {
    let properties: { readonly internalProperties?: readonly Property[] } = {};
    this.#withObject(object, (objectId) => {
      properties = this.#ask('Runtime.getProperties', { objectId, ownProperties: true });
    });
    return properties;
  }

  /** Calls `act` with the inspector's id of the object. Without an id, does nothing. */
  #withObject(object: object, act: (objectId: string) => void): void {
    Reflect.set(globalThis, this.#key, object);
    try {
      const expression = `globalThis[Symbol.for(${JSON.stringify(HANDOVER)})]`;
      const { result } = this.#ask('Runtime.evaluate', { expression, objectGroup: HANDOVER }) as {
        readonly result?: RemoteObject;
      };
      if (result?.objectId !== undefined) act(result.objectId);
    } finally {
      Reflect.deleteProperty(globalThis, this.#key);
      this.#ask('Runtime.releaseObjectGroup', { objectGroup: HANDOVER });
    }
  }

  #ask(method: string, params: object): object {
    let answer: object = {};
    (this.#session.post.bind(this.#session) as Post)(method, params, (failure, result) => {
      if (failure === null && typeof result === 'object' && result !== null) answer = result;
    });
    return answer;
  }
}
