import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { useApi } from '../data/api.js';
import { addPersonNames } from '../data/names.js';
import { readAll, type ListSource } from '../data/useList.js';
import { csvLine } from '../logic/csv.js';
import type { Column } from './columns.js';
import { download } from './download.js';
import { Icon } from './Icon.js';
import { notifyError } from './notify.js';

interface Props<T> {
  source: ListSource<T>;
  columns: readonly Column<T>[];
  fileName: string;
}

/** Reads all of a list, not only what is loaded, and saves it as CSV. A second click cancels. */
export function ExportButton<T>({ source, columns, fileName }: Props<T>) {
  const api = useApi();
  const [count, setCount] = useState<number | null>(null);
  const running = useRef<AbortController>(null);
  const run = async () => {
    const exported = columns.filter(({ text, person }) => text !== undefined || person !== undefined);
    const names = new Map<string, string>();
    const lines = [csvLine(['id', ...exported.map(({ header }) => header)])];
    const controller = new AbortController();
    running.current = controller;
    for await (const items of readAll(source, api, controller.signal)) {
      const people = exported.flatMap(({ person }) => (person ? items.map((item) => person(item)) : []));
      await addPersonNames(names, people, api);
      const cellOf = ({ text, person }: Column<T>, item: T) =>
        person ? (names.get(person(item)) ?? '') : (text?.(item) ?? '');
      for (const item of items)
        lines.push(csvLine([idOf(item), ...exported.map((column) => cellOf(column, item))]));
      setCount(lines.length - 1);
    }
    download(`${fileName}.csv`, 'text/csv;charset=utf-8', lines);
  };
  const click = () => {
    if (count !== null) return running.current?.abort();
    setCount(0);
    run()
      .catch((error: unknown) => {
        if (!running.current?.signal.aborted) notifyError(error, 'The export failed');
      })
      .finally(() => setCount(null));
  };
  return (
    <Button variant="default" size="sm" leftSection={<Icon name="download" />} onClick={click}>
      {count === null ? 'Export' : `${count} rows, cancel`}
    </Button>
  );
}

function idOf(item: unknown): string {
  const id: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, 'id') : undefined;
  return typeof id === 'string' ? id : '';
}
