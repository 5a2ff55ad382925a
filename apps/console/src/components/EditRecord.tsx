import { useState, type ReactNode } from 'react';
import { useApi, type Api } from '../data/api.js';
import { useCache, type RecordSource, type Versioned } from '../data/useRecord.js';
import { ConflictDialog } from './ConflictDialog.js';
import { changesSecret } from '../logic/secretChanges.js';
import { compareVersions, isConflict } from './conflicts.js';
import type { Field, FormValues } from './fields.js';
import { notifyDone, notifyError, notifyUndo } from './notify.js';
import { RecordForm } from './RecordForm.js';

export interface EditRecordProps<T> {
  source: RecordSource<T>;
  current: Versioned<T>;
  fields: readonly Field[];
  /** Picks the values of the form; it must return the same object for the same record. */
  toValues(record: T): FormValues;
  /** Saves the changes if the entity tag still matches. */
  save(api: Api, changes: FormValues, etag: string | undefined): Promise<Versioned<T>>;
  /** The names of lists and records to read again. */
  outdates: readonly string[];
  isReadOnly?: boolean;
  /** Closes the dialog that contains the form, when it is saved or left. */
  onClose?(): void;
  /** Further controls, before the buttons. */
  children?: ReactNode;
}

interface Conflict<T> {
  mine: FormValues;
  changes: FormValues;
  latest: Versioned<T>;
}

/** The form of a saved record. If another person saved it meanwhile, both versions are shown. */
export function EditRecord<T>({
  source,
  current,
  fields,
  toValues,
  save,
  outdates,
  isReadOnly = false,
  onClose,
  children,
}: EditRecordProps<T>) {
  const api = useApi();
  const cache = useCache();
  const [conflict, setConflict] = useState<Conflict<T> | null>(null);
  const [edition, setEdition] = useState(0);
  const [saved, setSaved] = useState({ record: current.record, values: toValues(current.record) });
  if (saved.record !== current.record) setSaved({ record: current.record, values: toValues(current.record) });
  // The record may be read again while the form is edited: its changes are those of the version before.
  const [etags] = useState(() => new WeakMap<FormValues, string | null>());
  if (saved.record === current.record) etags.set(saved.values, current.etag);

  const write = async (mine: FormValues, changes: FormValues, former: FormValues) => {
    const written = await save(api, changes, etags.get(former) ?? current.etag ?? undefined);
    // What is typed while it is saved begins with what was saved.
    etags.set(mine, written.etag);
    cache.put(source.key, written);
    if (changesSecret(former, changes)) notifyDone('Saved. A change of a secret cannot be undone.');
    else notifyUndo('Saved', () => restore(former, { changes, etag: written.etag }));
    await cache.outdate(...outdates);
    onClose?.();
  };
  const restore = async (
    former: FormValues,
    { changes, etag }: { changes: FormValues; etag: string | null },
  ) => {
    const names = Object.keys(changes).filter((name) => name in former);
    const values = Object.fromEntries(names.map((name) => [name, former[name]]));
    cache.put(source.key, await save(api, values, etag ?? undefined));
    await cache.outdate(...outdates);
  };
  const showConflict = async (mine: FormValues, changes: FormValues) => {
    setConflict({ mine, changes, latest: await source.load(api, new AbortController().signal) });
  };
  const submit = async (mine: FormValues, changes: FormValues, base: FormValues) => {
    try {
      await write(mine, changes, base);
    } catch (error) {
      if (isConflict(error)) await showConflict(mine, changes);
      throw error;
    }
  };
  const end = (latest: Versioned<T>) => {
    setConflict(null);
    cache.put(source.key, latest);
    setEdition((former) => former + 1);
  };
  const overwrite = async ({ mine, changes, latest }: Conflict<T>) => {
    try {
      end(await save(api, changes, latest.etag ?? undefined));
    } catch (error) {
      notifyError(error, 'It was not saved');
      // Another person saved it again.
      if (isConflict(error)) await showConflict(mine, changes);
      return;
    }
    notifyDone('Saved');
    await cache.outdate(...outdates);
    onClose?.();
  };
  return (
    <>
      <RecordForm
        key={edition}
        fields={fields}
        saved={saved.values}
        submitLabel="Save"
        isReadOnly={isReadOnly}
        onSubmit={submit}
        {...(onClose && { onCancel: onClose })}
      >
        {children}
      </RecordForm>
      <ConflictDialog
        fields={conflict && compareVersions(fields, conflict.mine, toValues(conflict.latest.record))}
        onClose={() => setConflict(null)}
        onTakeTheirs={() => conflict && end(conflict.latest)}
        onKeepMine={() => conflict && void overwrite(conflict).catch(notifyError)}
      />
    </>
  );
}
