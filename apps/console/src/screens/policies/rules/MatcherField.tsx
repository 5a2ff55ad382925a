import type { RlsMatcher } from '@gatehouse/contract';
import { Autocomplete, Group, Select, TagsInput } from '@mantine/core';
import { useMemo } from 'react';
import { labelOf, referencesOf, type KnownTable } from '../../../logic/policyRules.js';
import classes from '../policies.module.css';

interface Props {
  matcher: RlsMatcher;
  tables: readonly KnownTable[];
  error: string | undefined;
  isDisabled: boolean;
  onChange(matcher: RlsMatcher): void;
}

/** How many matches are offered at a time. */
const OFFERED_MAX = 30;

const TYPES = [
  { value: 'ALL_TABLES_WITH_COLUMN', label: 'Tables with a column' },
  { value: 'TABLE_LIST', label: 'These tables' },
  { value: 'SCHEMA', label: 'A schema' },
];
const EMPTY: Readonly<Record<string, RlsMatcher>> = {
  ALL_TABLES_WITH_COLUMN: { type: 'ALL_TABLES_WITH_COLUMN', column: '' },
  TABLE_LIST: { type: 'TABLE_LIST', tables: [] },
  SCHEMA: { type: 'SCHEMA', schema: '' },
};

/** Chooses the tables that a rule matches. */
export function MatcherField(props: Props) {
  const { matcher, isDisabled, onChange } = props;
  return (
    <Group align="flex-start" gap="sm">
      <Select
        label="Applies to"
        w={190}
        allowDeselect={false}
        disabled={isDisabled}
        data={TYPES}
        value={matcher.type}
        onChange={(type) => onChange(EMPTY[type ?? ''] ?? matcher)}
      />
      <Details {...props} />
    </Group>
  );
}

/** Names are offered on focus, except over an error. */
function Details({ matcher, tables, error, isDisabled, onChange }: Props) {
  const names = useMemo(() => namesOf(tables), [tables]);
  switch (matcher.type) {
    case 'ALL_TABLES_WITH_COLUMN':
      return (
        <Autocomplete
          className={classes['grow']}
          label="Column"
          error={error}
          openOnFocus={error === undefined}
          limit={OFFERED_MAX}
          maxLength={200}
          disabled={isDisabled}
          data={names.columns}
          value={matcher.column}
          onChange={(column) => onChange({ ...matcher, column })}
        />
      );
    case 'TABLE_LIST':
      return (
        <TagsInput
          className={classes['grow']}
          label="Tables"
          error={error}
          openOnFocus={error === undefined}
          placeholder={matcher.tables.length === 0 ? 'schema.table' : ''}
          limit={OFFERED_MAX}
          splitChars={[]}
          disabled={isDisabled}
          data={names.tables}
          value={matcher.tables.map(labelOf)}
          onChange={(labels) =>
            onChange({ ...matcher, tables: referencesOf(labels, matcher.tables, tables) })
          }
        />
      );
    case 'SCHEMA': {
      const { column, ...withoutColumn } = matcher;
      return (
        <>
          <Autocomplete
            className={classes['grow']}
            label="Schema"
            error={error}
            openOnFocus={error === undefined}
            limit={OFFERED_MAX}
            maxLength={200}
            disabled={isDisabled}
            data={names.schemas}
            value={matcher.schema}
            onChange={(schema) => onChange({ ...matcher, schema })}
          />
          <Autocomplete
            className={classes['grow']}
            label="With the column"
            placeholder="any"
            limit={OFFERED_MAX}
            maxLength={200}
            disabled={isDisabled}
            data={names.columns}
            value={column ?? ''}
            onChange={(next) => onChange(next === '' ? withoutColumn : { ...matcher, column: next })}
          />
        </>
      );
    }
  }
}

function namesOf(tables: readonly KnownTable[]) {
  const unique = (names: readonly (string | undefined)[]) =>
    [...new Set(names)].filter((name) => name !== undefined).toSorted();
  return {
    tables: unique(tables.map(({ label }) => label)),
    schemas: unique(tables.map(({ reference }) => reference.schema)),
    columns: unique(tables.flatMap(({ columns }) => columns)),
  };
}
