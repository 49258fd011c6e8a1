// The options of a semaphore of the family.

import type { SemaphoreOptions } from '@sluice/core';

export type FamilyOptions = SemaphoreOptions;
