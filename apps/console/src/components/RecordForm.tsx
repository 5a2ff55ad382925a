import { GatehouseError } from '@gatehouse/client';
import { Button, Group, Stack } from '@mantine/core';
import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import { changesOf, errorsByField } from '../logic/formChanges.js';
import { ErrorNotice } from './ErrorNotice.js';
import { FieldControl } from './FieldControl.js';
import type { Field, FormValues } from './fields.js';
import { INVALID_JSON } from './JsonField.js';
import { UnsavedGuard } from './UnsavedGuard.js';

interface Props {
  fields: readonly Field[];
  /** The saved values, or the defaults of a new record. */
  saved: FormValues;
  submitLabel: string;
  isNew?: boolean;
  isReadOnly?: boolean;
  /** Saves the values; `changes` are the fields that differ from `base`, the saved values they began with. */
  onSubmit(values: FormValues, changes: FormValues, base: FormValues): Promise<unknown>;
  onCancel?(): void;
  children?: ReactNode;
}

/** The state of a form: its values, and how the last attempt to save them ended. */
function useForm({ saved, fields, isNew, onSubmit }: Props) {
  const [values, setValues] = useState(saved);
  const [base, setBase] = useState(saved);
  const [state, setState] = useState<{ isSaving: boolean; error: unknown }>({ isSaving: false, error: null });
  const changes = changesOf(base, values);
  const isDirty = Object.keys(changes).length > 0;
  // Another saved version replaces the values only while none is changed. Until then the changes are those of
  // the former version, if it differs: its other values would undo what another person saved.
  useEffect(() => {
    if (saved === base) return;
    if (isDirty && Object.keys(changesOf(base, saved)).length > 0) return;
    setBase(saved);
    if (!isDirty) setValues(saved);
  }, [saved, base, isDirty]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (state.isSaving || Object.values(values).includes(INVALID_JSON)) return;
    setState({ isSaving: true, error: null });
    onSubmit(values, changes, base).then(
      () => {
        setBase(values);
        setState({ isSaving: false, error: null });
      },
      (error: unknown) => setState({ isSaving: false, error }),
    );
  };
  const names = fields.map(({ name }) => name);
  const faults = state.error instanceof GatehouseError ? state.error.fieldErrors : [];
  return {
    values,
    state,
    submit,
    errors: errorsByField(faults, names),
    isDirty: isDirty && !state.isSaving,
    canSubmit: isNew === true || isDirty,
    set: (name: string, value: unknown) => setValues((former) => ({ ...former, [name]: value })),
    reset: () => {
      setValues(base);
      setState({ isSaving: false, error: null });
    },
  };
}

/**
 * A form of a record. It shows the errors of a response beside their fields, and warns before changes are
 * lost. Mount it again (`key`) for another record.
 */
export function RecordForm(props: Props) {
  const { fields, submitLabel, isNew, isReadOnly = false, onCancel, children } = props;
  const form = useForm(props);
  return (
    <form onSubmit={form.submit} noValidate>
      <UnsavedGuard isDirty={form.isDirty} />
      <Stack gap="md">
        {form.state.error !== null && <ErrorNotice error={form.state.error} title="It was not saved" />}
        {fields
          .filter(({ isShown }) => isShown === undefined || isShown(form.values))
          .map((field) => (
            <FieldControl
              key={field.name}
              field={field}
              value={form.values[field.name]}
              error={form.errors[field.name]}
              isDisabled={isReadOnly}
              onChange={(value) => form.set(field.name, value)}
            />
          ))}
        {children}
        {!isReadOnly && (
          <Group justify="flex-end">
            {(onCancel ?? (form.isDirty && !isNew)) && (
              <Button variant="default" onClick={onCancel ?? form.reset}>
                {isNew ? 'Cancel' : 'Discard'}
              </Button>
            )}
            <Button type="submit" loading={form.state.isSaving} disabled={!form.canSubmit}>
              {submitLabel}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
