import { GatehouseError } from '@gatehouse/client';
import { Button, Group, Stack } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import {
  changesOf,
  contains,
  errorsByField,
  faultsBeside,
  missingValues,
  type FieldFault,
} from '../logic/formChanges.js';
import { ErrorNotice } from './ErrorNotice.js';
import { FieldControl } from './FieldControl.js';
import { INVALID_VALUE, type Field, type FormValues } from './fields.js';
import { UnsavedGuard } from './UnsavedGuard.js';

interface Props {
  fields: readonly Field[];
  /** The saved values, or the defaults of a new record. */
  saved: FormValues;
  submitLabel: string;
  /** The title of a notice that it failed. */
  errorTitle?: string;
  isNew?: boolean;
  isReadOnly?: boolean;
  /** Saves the values; `changes` are the fields that differ from `base`, the saved values they began with. */
  onSubmit(values: FormValues, changes: FormValues, base: FormValues): Promise<unknown>;
  onCancel?(): void;
  children?: ReactNode;
}

const isShown = ({ isShown: decide }: Field, values: FormValues) => decide === undefined || decide(values);

interface Attempt {
  isSaving: boolean;
  error: unknown;
  /** The fields that must have a value and have none; nothing was sent. */
  missing: readonly string[];
}
const NO_FAULTS: readonly FieldFault[] = [];
const NO_ATTEMPT: Attempt = { isSaving: false, error: null, missing: [] };

/** The state of a form: its values, and how the last attempt to save them ended. */
function useForm({ saved, fields, isNew, onSubmit }: Props) {
  const [values, setValues] = useState(saved);
  const [base, setBase] = useState(saved);
  const [state, setState] = useState(NO_ATTEMPT);
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
    if (state.isSaving) return;
    const required = fields.filter((field) => field.isRequired === true && isShown(field, values));
    const names = required.map(({ name }) => name).filter((name) => isNew === true || name in changes);
    const missing = missingValues(values, names);
    if (missing.length > 0 || contains(values, INVALID_VALUE)) return setState({ ...NO_ATTEMPT, missing });
    setState({ ...NO_ATTEMPT, isSaving: true });
    onSubmit(values, changes, base).then(
      () => {
        setBase(values);
        setState(NO_ATTEMPT);
      },
      (error: unknown) => setState({ ...NO_ATTEMPT, error }),
    );
  };
  const faults = state.error instanceof GatehouseError ? state.error.fieldErrors : NO_FAULTS;
  const shownNames = fields.filter((field) => isShown(field, values)).map(({ name }) => name);
  const missing = missingValues(values, state.missing).map((name) => [name, 'is required']);
  return {
    values,
    state,
    submit,
    faults,
    message: faults.length === 0 ? undefined : describeFaults(faultsBeside(faults, shownNames), faults),
    errors: {
      ...errorsByField(faults, shownNames),
      ...(Object.fromEntries(missing) as Record<string, string>),
    },
    isDirty: isDirty && !state.isSaving,
    canSubmit: isNew === true || isDirty,
    set: (name: string, value: unknown) => setValues((former) => ({ ...former, [name]: value })),
    reset: () => {
      setValues(base);
      setState(NO_ATTEMPT);
    },
  };
}

/** What a notice states about field errors: those beside no field, and that the others are marked. */
function describeFaults(beside: readonly FieldFault[], all: readonly FieldFault[]): string {
  const texts = beside.map(({ field, message }) => `${field} ${message}`.trim());
  const marked = beside.length < all.length ? ['Check the marked fields'] : [];
  return [...texts, ...marked].join('; ');
}

/** After an attempt that failed: focuses the first wrong field, or scrolls to what is wrong. */
function useRevealedFault(attempt: Attempt) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (attempt === NO_ATTEMPT || attempt.isSaving) return;
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (field) {
      // In the middle, so that its label and its fault are in view as well.
      field.focus({ preventScroll: true });
      field.scrollIntoView({ block: 'center' });
      return;
    }
    const fault = form.current?.querySelector('.mantine-InputWrapper-error, [role="alert"]');
    fault?.scrollIntoView({ block: 'center' });
  }, [attempt]);
  return form;
}

/**
 * A form of a record. It shows the errors of a response beside their fields, and warns before changes are
 * lost. Mount it again (`key`) for another record.
 */
export function RecordForm(props: Props) {
  const { fields, submitLabel, errorTitle = 'It was not saved', isNew, isReadOnly = false } = props;
  const { onCancel, children } = props;
  const form = useForm(props);
  const element = useRevealedFault(form.state);
  return (
    <form ref={element} onSubmit={form.submit} noValidate>
      <UnsavedGuard isDirty={form.isDirty} />
      <Stack gap="md">
        {form.state.error !== null && (
          <ErrorNotice error={form.state.error} title={errorTitle} message={form.message} />
        )}
        {fields
          .filter((field) => isShown(field, form.values))
          .map((field, index) => (
            <FieldControl
              key={field.name}
              field={field}
              isFirst={index === 0}
              values={form.values}
              error={form.errors[field.name]}
              faults={form.faults}
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
