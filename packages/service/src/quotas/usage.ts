/** A number of records and their bytes. */
export interface Usage {
  records: number;
  bytes: number;
}

export const sum = (one: Usage, other: Usage): Usage => ({
  records: one.records + other.records,
  bytes: one.bytes + other.bytes,
});
export const negative = ({ records, bytes }: Usage): Usage => ({ records: -records, bytes: -bytes });
export const NOTHING: Usage = { records: 0, bytes: 0 };
