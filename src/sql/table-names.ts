/** A table and its columns, as they may be named in a query. */
export interface TableNames {
  /** '' for tables that need none. */
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}
