/**
 * The tables that grow with what is said, and how each is split by session. Every row of them belongs to one session, and every statement of
 * the hot path names it, so that it meets one partition. Another table of this kind is one more entry, and a migration that makes it.
 */
export interface PartitionedTable {
  readonly name: string;
  /** Columns that tell the rows of a session apart. Where several rows may share them, they are copied and deleted together. */
  readonly rowKey: "version" | "name";
  /** Statements that make its indexes, of a table that is called `table`. */
  readonly indexes: (table: string) => readonly string[];
  /** Of one row, a number that depends on what it holds: sums over two tables are compared. */
  readonly fingerprint: string;
}

export const PARTITION_COUNT = 16;

export const PARTITIONED_TABLES: readonly PartitionedTable[] = [
  {
    name: "records",
    rowKey: "version",
    indexes: (table) => [`ALTER TABLE ${table} ADD PRIMARY KEY (session_key, version)`],
    fingerprint: "hashtextextended(encode(checksum, 'hex'), session_key # version)",
  },
  {
    name: "record_terms",
    rowKey: "version",
    indexes: (table) => [`CREATE INDEX ON ${table} USING gin (lexemes) WITH (gin_pending_list_limit = 1024)`],
    fingerprint: "hashtextextended(length(lexemes)::text, session_key # version)",
  },
  {
    name: "blobs",
    rowKey: "name",
    indexes: (table) => [`ALTER TABLE ${table} ADD PRIMARY KEY (session_key, name)`],
    fingerprint: "hashtextextended(name, session_key # octet_length(bytes))",
  },
];

/** Where the rows go while a table is being split; it takes the table's name in the end. */
export function splitName({ name }: PartitionedTable): string {
  return `${name}_split`;
}

/** What the table is called once the split one has its name, until it is dropped. */
export function formerName({ name }: PartitionedTable): string {
  return `${name}_former`;
}

/** Makes the split table beside the one that is there, empty. The schema is the only one on the search path. */
export function makeSplitSql(table: PartitionedTable): string {
  const split = splitName(table);
  const partitions = Array.from({ length: PARTITION_COUNT }, (_, remainder) => {
    const name = `${table.name}_${String(remainder).padStart(2, "0")}`;
    return `CREATE TABLE ${name} PARTITION OF ${split} FOR VALUES WITH (MODULUS ${PARTITION_COUNT}, REMAINDER ${remainder})`;
  });
  return [
    `CREATE TABLE ${split} (LIKE ${table.name} INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY HASH (session_key)`,
    ...partitions,
    ...table.indexes(split),
  ].join(";\n");
}
