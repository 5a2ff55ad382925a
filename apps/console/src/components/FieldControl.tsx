import { PasswordInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { JsonField } from './JsonField.js';
import type { ControlProps, Field, FormValues } from './fields.js';

/** The most suggestions that are drawn; typing narrows them down. */
const SUGGESTIONS_MAX = 100;

/** The control of a field. */
export function FieldControl({
  field,
  values,
  isFirst,
  ...rest
}: { field: Field; values: FormValues; isFirst: boolean } & Omit<
  ControlProps,
  'label' | 'description' | 'value'
>) {
  const control = { ...rest, value: values[field.name] };
  const { value, error, isDisabled, onChange } = control;
  const { label, description, maxLength, placeholder, isRequired } = field;
  const shared = {
    label,
    description,
    error,
    disabled: isDisabled,
    placeholder,
    withAsterisk: isRequired === true,
    'data-field': field.name,
    // Of a form in a dialog.
    'data-autofocus': isFirst || undefined,
  };
  const text = typeof value === 'string' ? value : '';
  switch (field.kind) {
    case 'text':
      return (
        <TextInput
          {...shared}
          maxLength={maxLength}
          value={text}
          onChange={(e) => onChange(e.currentTarget.value)}
        />
      );
    case 'password':
      return (
        <PasswordInput
          {...shared}
          // The component marks only its frame, which cannot take the focus.
          aria-invalid={error !== undefined}
          autoComplete="off"
          value={text}
          onChange={(e) => onChange(e.currentTarget.value)}
        />
      );
    case 'textarea':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={maxLength}
          value={text}
          onChange={(e) => onChange(e.currentTarget.value)}
        />
      );
    case 'switch':
      return (
        <Switch
          label={label}
          description={description}
          error={error}
          disabled={isDisabled}
          checked={value === true}
          onChange={(e) => onChange(e.currentTarget.checked)}
        />
      );
    case 'select':
      return (
        <Select
          {...shared}
          allowDeselect={false}
          data={[...(field.options ?? [])]}
          value={text === '' ? null : text}
          onChange={onChange}
        />
      );
    case 'tags':
      return (
        <TagsInput
          {...shared}
          value={Array.isArray(value) ? (value as string[]) : []}
          onChange={onChange}
          data={[...(field.suggestions ?? [])]}
          limit={SUGGESTIONS_MAX}
          maxTags={50}
          clearable
        />
      );
    case 'json':
      return <JsonField {...control} label={label} description={description} />;
    case 'custom':
      return <>{field.render?.({ ...control, label, description }, values)}</>;
  }
}
