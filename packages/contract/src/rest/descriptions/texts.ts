/**
 * Descriptions of fields: by the component that has the field, or under `*` for every component that has no
 * description of its own. A component of requests that ends with `Input` has those of the component without
 * it.
 */
export type FieldTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Descriptions of an enum and of each of its values. */
export interface EnumText {
  about: string;
  values: Readonly<Record<string, string>>;
}
export type EnumTexts = Readonly<Record<string, EnumText>>;
