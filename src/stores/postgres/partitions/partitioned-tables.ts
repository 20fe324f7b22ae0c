/**
 * A table that grows with the sessions' content, and is partitioned by session. Each row belongs to one session, and each statement of the hot
 * path names the session, so that it touches one partition. To add such a table, add an entry and a migration that creates it.
 */
export interface PartitionedTable {
  readonly name: string;
  /** The column by which the rows of a session are copied and deleted. Rows with the same value are copied and deleted together. */
  readonly rowKey: "version" | "name";
  /** The statements that create the indexes of a table with the name `table`. */
  readonly indexes: (table: string) => readonly string[];
  /** An SQL expression for a hash of a row, by which a table and its copy are compared. */
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

/** The name of the partitioned copy while a table is being split; the copy takes the table's name in the end. */
export function splitName({ name }: PartitionedTable): string {
  return `${name}_split`;
}

/** The name of the old table once the copy has its name, until it is dropped. */
export function formerName({ name }: PartitionedTable): string {
  return `${name}_former`;
}

/** The SQL that creates the empty partitioned copy of a table. The store's schema must be the only one on the search path. */
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
