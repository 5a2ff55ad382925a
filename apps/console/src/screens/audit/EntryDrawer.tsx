import type { AuditEvent } from '@gatehouse/contract';
import { Fragment } from 'react';
import { Badge, Button, Drawer, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { CodeEditor } from '../../components/CodeEditor.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { IdCopy } from '../../components/IdCopy.js';
import { NameLink } from '../../components/NameLink.js';
import { Facts } from '../../components/Page.js';
import { ActorName } from '../../components/PersonName.js';
import { SmallTable } from '../../components/SmallTable.js';
import { useUrlState, type UrlState } from '../../data/urlState.js';
import { recordedChanges, recordName, recordPath } from '../../logic/auditRecords.js';
import { describeEvent } from '../../logic/eventNames.js';
import { textOf } from '../../logic/formChanges.js';
import { useSession } from '../../session/SessionContext.js';
import { useEntry } from './sources.js';

/** All that the entry in the address records. */
export function EntryDrawer({ listed }: { listed: readonly AuditEvent[] }) {
  const [{ entry: id, entryTime }, setState] = useUrlState();
  const found = listed.find((item) => item.id === id);
  const read = useEntry(found === undefined ? id : undefined, entryTime);
  const entry = found ?? read.data ?? null;
  const { projects } = useSession();
  const project = projects.find((each) => each.id === entry?.projectId)?.name;
  const closed = { entry: undefined, entryTime: undefined };
  const filter = (changes: UrlState) => setState({ ...closed, ...changes }, true);
  return (
    <Drawer
      opened={id !== undefined}
      onClose={() => setState(closed)}
      position="right"
      size="lg"
      title={entry === null ? 'Entry' : describeEvent(entry.type)}
    >
      {read.error !== null && (
        <ErrorNotice
          error={read.error}
          title="The entry could not be read"
          onRetry={() => void read.refetch()}
        />
      )}
      {read.isLoading && <Skeleton height={200} />}
      {entry === null && read.error === null && !read.isLoading && (
        <Text size="sm">The audit log has no such entry.</Text>
      )}
      {entry !== null && (
        <Stack>
          <Group gap="xs">
            {entry.requestId !== null && (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => filter({ request: entry.requestId ?? undefined })}
              >
                Same request
              </Button>
            )}
            {entry.resourceId !== null && (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => filter({ resource: entry.resourceId ?? undefined })}
              >
                Same resource
              </Button>
            )}
            {entry.actorId !== null && (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => filter({ actor: entry.actorId ?? undefined })}
              >
                Same person
              </Button>
            )}
          </Group>
          <Changes entry={entry} />
          <Facts facts={factsOf(entry, project)} />
          <Title order={3} size="h5">
            Data
          </Title>
          <CodeEditor
            label="Data of the entry"
            language="json"
            value={JSON.stringify(entry.data, null, 2)}
            isReadOnly
          />
        </Stack>
      )}
    </Drawer>
  );
}

function Named({ name, id }: { name: string; id: string }) {
  return (
    <>
      <span dir="auto">{name}</span> <IdCopy value={id} isButtonOnly />
    </>
  );
}

function Actor({ id }: { id: string }) {
  return (
    <>
      <ActorName id={id} /> <IdCopy value={id} isButtonOnly />
    </>
  );
}

/** What an entry records about its resource, with a link to the record. */
function Resource({ entry }: { entry: AuditEvent }) {
  const { resourceId, projectId, data } = entry;
  const path = recordPath(entry);
  const name = recordName(data) ?? resourceId ?? '';
  return (
    <>
      {path === null ? (
        <span dir="auto">{name}</span>
      ) : (
        <NameLink to={path} search={{ project: projectId ?? undefined }} name={name} />
      )}{' '}
      <IdCopy value={resourceId ?? ''} isButtonOnly />
    </>
  );
}

function Changes({ entry }: { entry: AuditEvent }) {
  const changes = recordedChanges(entry.data);
  if (changes.length === 0) return null;
  const rows = changes.map(({ field, from, to }) => ({
    key: field,
    cells:
      from === null && to === null
        ? [field, 'Not recorded', 'Not recorded']
        : [field, <Value key="from" value={from} />, <Value key="to" value={to} />],
  }));
  return <SmallTable label="Changes" headers={['Field', 'Before', 'After']} rows={rows} />;
}

const Value = ({ value }: { value: unknown }) => (
  <Text size="sm" dir="auto" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
    {textOf(value)}
  </Text>
);

function factsOf(entry: AuditEvent, project: string | undefined) {
  const { actorId, actorKind, resourceId, tokenId, requestId, outcome } = entry;
  const id = (name: string, value: string | null, known?: string) => {
    if (value === null) return [name, 'None'] as const;
    const content = known === undefined ? <IdCopy value={value} /> : <Named name={known} id={value} />;
    return [name, <Fragment key={name}>{content}</Fragment>] as const;
  };
  return [
    ['Type', entry.type],
    [
      'Outcome',
      <Badge key="outcome" color={outcome === 'refused' ? 'red' : 'gray'}>
        {outcome === 'refused' ? 'Refused' : 'Done'}
      </Badge>,
    ],
    ['Person', actorId === null ? 'The platform' : <Actor key="actor" id={actorId} />],
    ['Kind of actor', actorKind ?? 'None'],
    ['Resource', resourceId === null ? 'None' : <Resource key="resource" entry={entry} />],
    id('Project', entry.projectId, project),
    id('Request', requestId),
    id('Token', tokenId),
    ['Happened', new Date(entry.time).toLocaleString()],
    ['Recorded', new Date(entry.recordedAt).toLocaleString()],
    ['Sequence', String(entry.sequence)],
    id('Hash', entry.hash),
    id('Previous hash', entry.previousHash),
  ] as const;
}
