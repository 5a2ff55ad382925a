import type { AuditEvent } from '@gatehouse/contract';
import { Badge, Button, Drawer, Group, Stack, Title } from '@mantine/core';
import { CodeEditor } from '../../components/CodeEditor.js';
import { IdCopy } from '../../components/IdCopy.js';
import { Facts } from '../../components/Page.js';
import { PersonName } from '../../components/PersonName.js';
import { useUrlState, type UrlState } from '../../data/urlState.js';
import { describeEvent } from '../../logic/eventNames.js';

/** All that an entry records. */
export function EntryDrawer({ entry, onClose }: { entry: AuditEvent | null; onClose(): void }) {
  const [, setState] = useUrlState();
  const filter = (changes: UrlState) => {
    setState(changes, true);
    onClose();
  };
  return (
    <Drawer
      opened={entry !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={entry === null ? '' : describeEvent(entry.type)}
    >
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
          <Facts facts={factsOf(entry)} />
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

function factsOf(entry: AuditEvent) {
  const { actorId, actorKind, resourceId, tokenId, requestId, outcome } = entry;
  const id = (name: string, value: string | null) =>
    [name, value === null ? 'None' : <IdCopy key={name} value={value} />] as const;
  return [
    ['Type', entry.type],
    [
      'Outcome',
      <Badge key="outcome" color={outcome === 'refused' ? 'red' : 'gray'}>
        {outcome === 'refused' ? 'Refused' : 'Done'}
      </Badge>,
    ],
    ['Person', actorId === null ? 'The platform' : <PersonName key="actor" id={actorId} />],
    ['Kind of actor', actorKind ?? 'None'],
    id('Resource', resourceId),
    id('Project', entry.projectId),
    id('Request', requestId),
    id('Token', tokenId),
    ['Happened', new Date(entry.time).toLocaleString()],
    ['Recorded', new Date(entry.recordedAt).toLocaleString()],
    ['Sequence', String(entry.sequence)],
    id('Hash', entry.hash),
    id('Previous hash', entry.previousHash),
  ] as const;
}
