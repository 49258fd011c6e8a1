// An event in the scene of a death: the living agent's tasks that wait for it, and the victim's own instance.

import type { Operation, Stage } from '../../../core/test/support/crash-stage.ts';
import { AutoResetEvent } from '../../src/index.ts';
import './kinds.ts';
import { EventShadows } from './event-shadows.ts';

export interface EventScene {
  readonly stage: Stage;
  readonly shadows: EventShadows;
  readonly theirs: AutoResetEvent;
  /** Signals as the victim. */
  readonly signal: () => void;
}

type Prepare<Scene> = (scene: Scene) => (() => unknown) | Promise<() => unknown>;

export function eventScene(stage: Stage): EventScene {
  const event = AutoResetEvent.create({ arena: stage.living.arena, name: 'event' });
  const shadows = new EventShadows(stage.living.arena, event);
  stage.witnesses.push(shadows);
  const theirs = AutoResetEvent.from(stage.world.handle(event.handle, stage.victim));
  const signal = (): void => {
    shadows.signals += 1;
    theirs.signal();
  };
  return { stage, shadows, theirs, signal };
}

export function atEvent(name: string, prepare: Prepare<EventScene>, world: Operation['world'] = {}): Operation {
  return { name, world, prepare: (stage) => prepare(eventScene(stage)) };
}
