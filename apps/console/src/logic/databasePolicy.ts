import type { ClsConfig } from '@gatehouse/contract';
import { isSameConfig } from './configForm.js';
import { faultsOfNames, missingNames, readRows, writeRows, type ValueRow } from './valueRows.js';

/** Where queries go: to the database of the connection, to another one, or to files. */
export type Destination = 'connection' | 'address' | 'files';

export interface FileRow {
  name: string;
  path: string;
}

/** The connection policy of a definition, as its form shows it. */
export interface DatabaseForm {
  destination: Destination;
  address: string;
  files: readonly FileRow[];
  values: readonly ValueRow[];
}

const NO_DATABASE: DatabaseForm = { destination: 'connection', address: '', files: [], values: [] };

/** The form of a stored connection policy; null if it has something that the form does not show. */
export function readDatabase(value: unknown): DatabaseForm | null {
  if (value === null || value === undefined) return NO_DATABASE;
  const { connectionTemplate, filePathTemplates, params } = value as ClsConfig;
  const values = readRows(params);
  const files = Object.entries(filePathTemplates ?? {}).map(([name, path]) => ({ name, path }));
  if (values === null || values.some(({ typed }) => typed.type === 'texts' || typed.type === 'numbers'))
    return null;
  if (!files.every(({ path }) => typeof path === 'string')) return null;
  const form: DatabaseForm = {
    destination: filePathTemplates
      ? 'files'
      : typeof connectionTemplate === 'string'
        ? 'address'
        : 'connection',
    address: connectionTemplate ?? '',
    files,
    values,
  };
  return isSameConfig(writeDatabase(form), value) ? form : null;
}

/** The connection policy of a form, null if it changes nothing; undefined if a row is wrong. */
export function writeDatabase({ destination, address, files, values }: DatabaseForm) {
  const params = writeRows(values);
  const areNamed = destination !== 'files' || fileFaults(files).every((fault) => fault === undefined);
  if (params === undefined || !areNamed) return undefined;
  const config = {
    ...(destination === 'address' ? { connectionTemplate: address } : {}),
    ...(destination === 'files' ? { filePathTemplates: pathsOf(files) } : {}),
    ...(params === null ? {} : { params: params as NonNullable<ClsConfig['params']> }),
  };
  return Object.keys(config).length === 0 ? null : config;
}

const pathsOf = (files: readonly FileRow[]) =>
  Object.fromEntries(files.map(({ name, path }) => [name, path]));

/** What is wrong with the names of files, by row. */
export function fileFaults(files: readonly FileRow[]): (string | undefined)[] {
  return faultsOfNames(files.map(({ name }) => name));
}

/** The placeholders of the form that have no value in it. */
export function missingInDatabase({ destination, address, files, values }: DatabaseForm): string[] {
  if (destination === 'connection') return [];
  return missingNames(destination === 'address' ? [address] : files.map(({ path }) => path), values);
}
