// What this package uses of `pg`.

import { show } from '@sluice/core/calls';

/** A pool of `pg`. Its options say how to connect; its connections stay the program's. */
export interface PostgresPool {
  readonly options: object;
  connect(): Promise<unknown>;
}

interface Result {
  readonly rows: readonly (readonly (string | null)[])[];
}

interface QueryConfig {
  readonly text: string;
  readonly rowMode: 'array';
  readonly types: { getTypeParser(): (value: string) => string };
}

/** A client of `pg`. */
export interface PostgresClient {
  /** The server process, as it said at the start. A pooler says another number. */
  readonly processID: number | null;
  connect(): Promise<unknown>;
  query(config: QueryConfig): Promise<Result | Result[]>;
  on(event: 'notification', listener: (message: { readonly channel: string; readonly payload?: string }) => void): this;
  on(event: 'error' | 'end', listener: (failure?: unknown) => void): this;
  end(): Promise<void>;
  unref?(): void;
}

export type OpenClient = () => PostgresClient;

/** Returns what makes clients with the pool's options. Throws `TypeError` if it is no pool of `pg`. */
export function clientsOf(pool: PostgresPool, connectTimeout: number): OpenClient {
  const given = pool as { readonly options?: unknown; readonly Client?: unknown } | null | undefined;
  const Client = given?.Client;
  const options = given?.options;
  if (typeof Client !== 'function' || typeof options !== 'object' || options === null)
    throw new TypeError(`Expected a pool of pg, such as new Pool({ connectionString }): received ${show(pool)}`);
  const { password } = options as { readonly password?: unknown };
  const config = {
    fallback_application_name: 'sluice',
    ...options,
    // The pool hides it from copies.
    ...(password === undefined ? {} : { password }),
    connectionTimeoutMillis: connectTimeout,
    // The steps have their own.
    query_timeout: undefined,
    statement_timeout: undefined,
  };
  return () => new (Client as new (config: object) => PostgresClient)(config);
}
