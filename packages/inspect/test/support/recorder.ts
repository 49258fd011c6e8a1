// A tool that keeps what it is told, as lines of text.

import type { WaitEnding } from '@sluice/core/report';
import { startTool, stopTool } from '../../src/observe/observer.ts';
import type { UsedPrimitive } from '../../src/observe/used-primitive.ts';
import { IdleTool, type Manner, type ObservedReclaim, type ObservedWait } from '../../src/observe/tool.ts';

export class Recorder extends IdleTool {
  readonly lines: string[] = [];
  /** Calls that were asked and have not ended. */
  open = 0;

  /** Records while `run` runs. */
  static during<T>(run: (recorder: Recorder) => T): T {
    const recorder = new Recorder();
    startTool(recorder);
    const stop = (): void => stopTool(recorder);
    let result: T;
    try {
      result = run(recorder);
    } catch (failure) {
      stop();
      throw failure;
    }
    if (result instanceof Promise) return result.finally(stop) as T;
    stop();
    return result;
  }

  /** Returns the lines since the last call. */
  taken(): string[] {
    return this.lines.splice(0);
  }

  override holdAsked(_primitive: UsedPrimitive, how: Manner): unknown {
    this.open += 1;
    return how;
  }

  override holdBegins(primitive: UsedPrimitive, permits: number, slot: string, asked: unknown): void {
    if (asked !== undefined) this.open -= 1;
    this.lines.push(`holds ${permits} of ${text(primitive, slot)}`);
  }

  override holdFails(primitive: UsedPrimitive, asked: unknown): void {
    this.open -= 1;
    this.lines.push(`gets nothing of ${text(primitive, '')} (${String(asked)})`);
  }

  override holdEnds(primitive: UsedPrimitive, permits: number, slot: string): void {
    this.lines.push(`released ${permits} of ${text(primitive, slot)}`);
  }

  override waitBegins({ primitive, how }: ObservedWait): void {
    this.lines.push(`${how} wait for ${text(primitive, '')}`);
  }

  override waitEnds({ primitive, how }: ObservedWait, ending: WaitEnding): void {
    this.lines.push(`${how} wait for ${text(primitive, '')} ends: ${ending}`);
  }

  override reclaimBegins({ agent }: ObservedReclaim): void {
    this.lines.push(`recovers ${agent}`);
  }

  override reclaimEnds({ agent }: ObservedReclaim, report: object | undefined): void {
    this.lines.push(`recovered ${agent}: ${report === undefined ? 'failed' : 'done'}`);
  }
}

function text({ name, side }: UsedPrimitive, slot: string): string {
  return [name, side, slot].filter((part) => part !== '').join('/');
}
