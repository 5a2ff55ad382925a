import type { Params } from '@gatehouse/contract';
import { Fieldset, Input, Loader, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ErrorNotice } from '../../../components/ErrorNotice.js';
import { INVALID_VALUE, type ControlProps } from '../../../components/fields.js';
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
import { FormOrJson } from './FormOrJson.js';
import { useTyped } from './useTyped.js';
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
  const { typed, set } = useTyped<Typed>(control, {
    read: (value) => (areTypeable(value, placeholders) ? typeAll(value, placeholders) : null),
    write: (all) => paramsOf(all, placeholders),
  });
  return (
    <FormOrJson
      control={control}
      isFit={typed !== null}
      description="The values by the names of their placeholders."
      toForm="Use a field for each placeholder"
      toJson="Write the values as JSON"
    >
      {placeholders.length === 0 && <Text size="sm">The definition has no placeholders.</Text>}
      {placeholders.map((placeholder) => (
        <ValueField
          key={placeholder.name}
          placeholder={placeholder}
          typed={typedOf(typed ?? {}, placeholder)}
          fault={parseTyped(typedOf(typed ?? {}, placeholder)).fault}
          isDisabled={control.isDisabled}
          onChange={(next) => set({ ...typed, [placeholder.name]: next })}
        />
      ))}
      {control.error !== undefined && <Input.Error>{control.error}</Input.Error>}
    </FormOrJson>
  );
}
