import { isSecretName } from '@gatehouse/contract/placeholders';
import { Group, NativeSelect, PasswordInput, TagsInput, TextInput } from '@mantine/core';
import {
  VALUE_TYPES,
  type Placeholder,
  type TypedValue,
  type ValueType,
} from '../../../logic/placeholderValues.js';
import classes from '../policies.module.css';

const TEXT_MAX = 10_000;
const ITEMS_MAX = 10_000;
const ALL_TYPES = Object.keys(VALUE_TYPES) as ValueType[];
const YES_OR_NO = [
  { value: '', label: 'No value' },
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

/** Fields that stand side by side are level, whatever stands above and below them. */
export const INPUT_LAST: ('label' | 'description' | 'error' | 'input')[] = [
  'label',
  'description',
  'error',
  'input',
];

interface Props {
  placeholder: Placeholder;
  /** The name of the placeholder unless given. */
  label?: string;
  types?: readonly ValueType[];
  typed: TypedValue;
  fault: string | undefined;
  isDisabled: boolean;
  onChange(typed: TypedValue): void;
}

function describe({ name, hasDefault }: Placeholder, { type }: TypedValue): string | undefined {
  if (isSecretName(name)) return 'A secret: *** keeps the stored one.';
  if (hasDefault) return 'The definition has a value, which this one replaces.';
  return type === 'texts' || type === 'numbers' ? 'Enter or a comma ends a value.' : undefined;
}

/** The value of one placeholder, and its type. */
export function ValueField(props: Props) {
  const { placeholder, types = ALL_TYPES, typed, isDisabled, onChange } = props;
  const { name } = placeholder;
  return (
    <Group gap="sm" align="flex-end" className={classes['actor']}>
      <div className={classes['grow']}>
        <ValueInput {...props} />
      </div>
      {!isSecretName(name) && (
        <NativeSelect
          aria-label={`Type of ${name === '' ? 'the value' : name}`}
          disabled={isDisabled}
          data={types.map((type) => ({ value: type, label: VALUE_TYPES[type] }))}
          value={typed.type}
          onChange={(event) => onChange({ ...typed, type: event.currentTarget.value as ValueType })}
        />
      )}
    </Group>
  );
}

function ValueInput({ placeholder, label, typed, fault, isDisabled, onChange }: Props) {
  const { type, items } = typed;
  const shared = {
    label: label ?? placeholder.name,
    description: describe(placeholder, typed),
    error: fault,
    disabled: isDisabled,
    inputWrapperOrder: INPUT_LAST,
  };
  const change = (text: string) => onChange({ ...typed, items: [text] });
  const text = items[0] ?? '';
  if (isSecretName(placeholder.name))
    return (
      <PasswordInput
        {...shared}
        aria-invalid={shared.error !== undefined}
        autoComplete="off"
        maxLength={TEXT_MAX}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
      />
    );
  if (type === 'texts' || type === 'numbers')
    return (
      <TagsInput
        {...shared}
        clearable
        maxTags={ITEMS_MAX}
        value={items.filter((item) => item !== '')}
        onChange={(next) => onChange({ ...typed, items: next })}
      />
    );
  if (type === 'boolean')
    return (
      <NativeSelect
        {...shared}
        data={YES_OR_NO}
        value={text === 'true' || text === 'false' ? text : ''}
        onChange={(event) => change(event.currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...shared}
      maxLength={TEXT_MAX}
      inputMode={type === 'number' ? 'decimal' : 'text'}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
