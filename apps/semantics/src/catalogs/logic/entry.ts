/** One kept version of a catalog, as its connection lists it. */
export interface CatalogEntry {
  version: number;
  /** `_id` of its document. */
  key: string;
  /** Hash of the catalog: equal for two catalogs that differ only in the order of schemas and tables. */
  digest: string;
  /** Of its JSON text in UTF-8. */
  bytes: number;
  /**
   * Whether the changes since the version before are stored with it: they are left out when they are too
   * large.
   */
  areChangesKept: boolean;
  readAt: Date;
}
