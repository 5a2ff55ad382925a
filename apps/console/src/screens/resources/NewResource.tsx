import { NewRecord } from '../../components/NewRecord.js';
import { contentFields, describingFields } from './fields.js';
import type { Kind } from './kind.js';

/** The form of a new dashboard or visual. */
export function NewResource({ kind }: { kind: Kind }) {
  const described = describingFields(kind).filter(({ name }) => name !== 'commitMessage');
  return (
    <NewRecord
      noun={kind.noun}
      parent={{ title: kind.plural, to: kind.path }}
      fields={[...described, ...contentFields(kind)]}
      initial={{ title: '', description: '', tags: [], isPrivate: true, [kind.content]: null }}
      create={async (api, values) => {
        const { record, secret } = await kind.create(api, values);
        return { id: record.id, secret };
      }}
      outdates={[`${kind.noun}s`]}
    />
  );
}
