// A case of a model.

import type { Options, Scenario } from '@sluice/model';

export interface Case {
  readonly scenario: Scenario;
  readonly options: Options;
}
