import type { ReactNode } from 'react';
import type { FieldFault } from '../logic/formChanges.js';

/** The values of a form by field. */
export type FormValues = Record<string, unknown>;

/** The value of a field that shows a fault in what is typed: it cannot be saved. */
export const INVALID_VALUE = Symbol('invalid value');

/** What a field's control receives. */
export interface ControlProps {
  label: string;
  description: string | undefined;
  value: unknown;
  error: string | undefined;
  /** All field errors of the last response, for a control that shows those of its parts in their places. */
  faults?: readonly FieldFault[] | undefined;
  isDisabled: boolean;
  onChange(value: unknown): void;
}

/** A field of a form. */
export interface Field {
  /** Its name in requests and in field errors. */
  name: string;
  label: string;
  description?: string;
  kind: 'text' | 'password' | 'textarea' | 'switch' | 'select' | 'tags' | 'json' | 'custom';
  /** Whether it must have a value. A `custom` control draws the mark itself. */
  isRequired?: boolean;
  maxLength?: number;
  placeholder?: string;
  options?: readonly { value: string; label: string }[];
  /** What a `tags` field offers, beside other texts. */
  suggestions?: readonly string[];
  /** The control of a `custom` field, beside these values of the others. */
  render?(props: ControlProps, values: FormValues): ReactNode;
  /** Whether it is shown beside these values of the others. */
  isShown?(values: FormValues): boolean;
}
