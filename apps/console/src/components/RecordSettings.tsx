import { EditRecord, type EditRecordProps } from './EditRecord.js';
import { IdCopy } from './IdCopy.js';
import { Facts, Page, type Fact } from './Page.js';
import { PersonName } from './PersonName.js';
import { RelativeTime } from './RelativeTime.js';

interface Recorded {
  id: string;
  createdAt: string;
  updatedAt: string;
  createdBy?: string | null;
}

/** The form of a record beside what every record has: its creation, its last change and its id. */
export function RecordSettings<T extends Recorded>({
  facts = [],
  ...form
}: EditRecordProps<T> & { facts?: readonly Fact[] }) {
  const { id, createdAt, updatedAt, createdBy } = form.current.record;
  const creator: Fact[] =
    createdBy === null || createdBy === undefined
      ? []
      : [['Created by', <PersonName key="by" id={createdBy} />]];
  const shared: Fact[] = [
    ...creator,
    ['Created', <RelativeTime key="created" at={createdAt} />],
    ['Updated', <RelativeTime key="updated" at={updatedAt} />],
    ['Id', <IdCopy key="id" value={id} />],
  ];
  return (
    <Page aside={<Facts facts={[...facts, ...shared]} />}>
      <EditRecord key={id} {...form} />
    </Page>
  );
}
