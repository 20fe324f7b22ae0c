/** One step of the schema. Once released it is never edited: a change is a new migration. */
export interface Migration {
  /** 1, 2, 3 … without gaps. */
  readonly version: number;
  /** Runs with the store's schema as the only one on the search path, in a transaction of its own. */
  readonly sql: string;
}
