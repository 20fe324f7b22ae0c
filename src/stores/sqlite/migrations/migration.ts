/** One step of the schema. Never changed once released: a change is a new step. */
export interface Migration {
  /** Steps are numbered from 1 without gaps. */
  readonly version: number;
  readonly sql: string;
}
