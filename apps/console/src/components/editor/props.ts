/** What an editor of code shows. */
export interface CodeEditorProps {
  /** Its name for assistive technology. */
  label: string;
  language: 'json' | 'sql' | 'text';
  value: string;
  isReadOnly?: boolean;
  /** CSS lengths. */
  minHeight?: string;
  maxHeight?: string;
  /** Names that are completed, such as tables with their columns. */
  schema?: Record<string, readonly string[]>;
  /** Warnings about the text, which the margin marks. Not for JSON, whose faults are found here. */
  findings?: readonly { message: string }[];
  onChange?(value: string): void;
}
