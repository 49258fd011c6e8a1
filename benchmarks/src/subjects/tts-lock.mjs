// @ts-check
import { TtsLock } from '@sluice/classics';
import { wrappable } from './capacitor-lock.mjs';

export const { create, open, wakeUps } = wrappable(TtsLock);
