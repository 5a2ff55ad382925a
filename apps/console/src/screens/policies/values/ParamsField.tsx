import type { Params } from '@gatehouse/contract';
import { Button, Fieldset, Input, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ErrorNotice } from '../../../components/ErrorNotice.js';
import { INVALID_VALUE, type ControlProps } from '../../../components/fields.js';
import { JsonField } from '../../../components/JsonField.js';
import { useRecord } from '../../../data/useRecord.js';
import {
  areTypeable,
  parseTyped,
  placeholdersOf,
  toTyped,
  type Placeholder,
  type TypedValue,
} from '../../../logic/placeholderValues.js';
import { useSession } from '../../../session/SessionContext.js';
import { definitionOf } from '../sources.js';
import { ValueField } from './ValueField.js';

interface Props extends ControlProps {
  /** Empty while none is chosen. */
  definitionId: string;
}

/** The values of an assignment: a field for each placeholder of its definition. */
export function ParamsField({ definitionId, ...control }: Props) {
  const { project } = useSession();
  const { data, error } = useRecord(definitionOf(project.id, definitionId), {
    isEnabled: definitionId !== '',
  });
  const { onChange } = control;
  const former = useRef(definitionId);
  useEffect(() => {
    // Another definition has other placeholders.
    if (former.current !== definitionId) onChange(null);
    former.current = definitionId;
  });
  if (error !== null) return <ErrorNotice error={error} title="The definition could not be read" />;
  return (
    <Fieldset legend={control.label}>
      {definitionId === '' && <Text size="sm">Choose a definition: its placeholders take the values.</Text>}
      {definitionId !== '' && data === undefined && <Loader role="status" size="sm" aria-label="Loading" />}
      {data !== undefined && (
        <Values key={definitionId} {...control} placeholders={placeholdersOf(data.record.definition)} />
      )}
    </Fieldset>
  );
}

type Typed = Readonly<Record<string, TypedValue>>;
const typedOf = (typed: Typed, placeholder: Placeholder): TypedValue =>
  typed[placeholder.name] ?? toTyped(undefined, placeholder);

const typeAll = (value: unknown, placeholders: readonly Placeholder[]): Typed => {
  const params = (value ?? {}) as Params;
  return Object.fromEntries(
    placeholders.map((placeholder) => [placeholder.name, toTyped(params[placeholder.name], placeholder)]),
  );
};

/** The values of what is typed; null if there are none, `INVALID_VALUE` if one is wrong. */
function paramsOf(typed: Typed, placeholders: readonly Placeholder[]): Params | null | typeof INVALID_VALUE {
  const parsed = placeholders.map((placeholder) => ({
    name: placeholder.name,
    ...parseTyped(typedOf(typed, placeholder)),
  }));
  if (parsed.some(({ fault }) => fault !== undefined)) return INVALID_VALUE;
  const given = parsed.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  return given.length === 0 ? null : Object.fromEntries(given);
}

function Values({ placeholders, ...control }: ControlProps & { placeholders: readonly Placeholder[] }) {
  const { value, error, isDisabled, onChange } = control;
  const isFit = areTypeable(value, placeholders);
  const [prefersJson, setPrefersJson] = useState(false);
  const isJson = prefersJson || (!isFit && value !== INVALID_VALUE);
  const [typed, setTyped] = useState(() => typeAll(isFit ? value : null, placeholders));
  const emitted = useRef(value);
  // The form has discarded the changes, or has got another saved version.
  useEffect(() => {
    if (value === emitted.current) return;
    emitted.current = value;
    if (areTypeable(value, placeholders)) setTyped(typeAll(value, placeholders));
  }, [value, placeholders]);
  const change = (name: string, next: TypedValue) => {
    const all = { ...typed, [name]: next };
    setTyped(all);
    emitted.current = paramsOf(all, placeholders);
    onChange(emitted.current);
  };
  return (
    <Stack gap="sm">
      {isJson ? (
        <JsonField
          {...control}
          description="The values by the names of their placeholders."
          onChange={(next) => {
            // A text that is not valid JSON yet stays in the editor.
            setPrefersJson(true);
            onChange(next);
          }}
        />
      ) : (
        <>
          {placeholders.length === 0 && <Text size="sm">The definition has no placeholders.</Text>}
          {placeholders.map((placeholder) => (
            <ValueField
              key={placeholder.name}
              placeholder={placeholder}
              typed={typedOf(typed, placeholder)}
              fault={parseTyped(typedOf(typed, placeholder)).fault}
              isDisabled={isDisabled}
              onChange={(next) => change(placeholder.name, next)}
            />
          ))}
          {error !== undefined && <Input.Error>{error}</Input.Error>}
        </>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        w="fit-content"
        // Values that the fields cannot show would be lost.
        disabled={isJson ? !isFit : value === INVALID_VALUE}
        onClick={() => setPrefersJson(!isJson)}
      >
        {isJson ? 'Use a field for each placeholder' : 'Write the values as JSON'}
      </Button>
    </Stack>
  );
}
