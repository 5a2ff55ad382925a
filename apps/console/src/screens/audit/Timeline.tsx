import type { AuditEvent } from '@gatehouse/contract';
import { Badge, Box } from '@mantine/core';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { PageHeader } from '../../components/PageHeader.js';
import { ActorName } from '../../components/PersonName.js';
import { RecordTable } from '../../components/RecordTable.js';
import { RowButton } from '../../components/RowButton.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { TabBar } from '../../components/TabBar.js';
import { countOf, useList } from '../../data/useList.js';
import { useUrlState } from '../../data/urlState.js';
import { recordName } from '../../logic/auditRecords.js';
import { describeEvent } from '../../logic/eventNames.js';
import { useSession } from '../../session/SessionContext.js';
import { Activity } from './Activity.js';
import classes from './Audit.module.css';
import { EntryDrawer } from './EntryDrawer.js';
import { Filters } from './Filters.js';
import { auditSource, FILTERS } from './sources.js';
import { Verification } from './Verification.js';

/** What was done and what was refused in the organization. */
export function Timeline() {
  return (
    <>
      <PageHeader title="Audit log" />
      <TabBar
        label="Parts of the audit log"
        tabs={[
          {
            id: 'entries',
            title: 'Entries',
            content: () => (
              <div className={classes['panel']} key="entries">
                <Filters />
                <Entries />
              </div>
            ),
          },
          {
            id: 'activity',
            title: 'Activity',
            content: () => (
              <div className={classes['panel']} key="activity">
                <Filters />
                <Activity />
              </div>
            ),
          },
          {
            id: 'verification',
            title: 'Export and verify',
            content: () => (
              <div className={classes['panel']} key="verification">
                <Filters />
                <Verification />
              </div>
            ),
          },
        ]}
      />
    </>
  );
}

function columnsOf(open: (entry: AuditEvent) => void): Column<AuditEvent>[] {
  return [
    {
      id: 'event',
      header: 'Event',
      width: 'minmax(0, 1.6fr)',
      text: ({ type }) => type,
      render: (entry) => (
        <RowButton title={entry.type} onClick={() => open(entry)}>
          {describeEvent(entry.type)}
        </RowButton>
      ),
    },
    {
      id: 'outcome',
      header: 'Outcome',
      width: '5rem',
      text: ({ outcome }) => outcome,
      render: ({ outcome }) =>
        outcome === 'refused' ? <Badge color="red">Refused</Badge> : <Badge color="gray">Done</Badge>,
    },
    {
      id: 'actor',
      header: 'Person',
      isWide: true,
      text: ({ actorId }) => actorId ?? '',
      render: ({ actorId }) => <ActorName id={actorId} />,
    },
    {
      id: 'resource',
      header: 'Resource',
      isWide: true,
      text: ({ resourceId }) => resourceId ?? '',
      render: ({ data, resourceId }) => <span dir="auto">{recordName(data) ?? resourceId ?? ''}</span>,
    },
    {
      id: 'time',
      header: 'Time',
      width: '6.5rem',
      text: ({ time }) => time,
      render: ({ time }) => <RelativeTime at={time} />,
    },
  ];
}

function Entries() {
  const [state, setState] = useUrlState();
  const { project } = useSession();
  const source = auditSource(state, project.id);
  const list = useList(source);
  const columns = columnsOf(({ id, time }) => setState({ entry: id, entryTime: time }, true));
  const isFiltered = FILTERS.some((name) => state[name]);
  return (
    <>
      <ListToolbar
        count={countOf(list)}
        actions={<ExportButton source={source} columns={columns} fileName="audit-log" />}
      />
      <Box className={classes['table']}>
        <RecordTable
          label="Entries of the audit log"
          list={list}
          columns={columns}
          idOf={({ id }) => id}
          empty={
            <EmptyState icon="audit" title={isFiltered ? 'No entry matches' : 'No entries yet'}>
              {isFiltered ? 'Change the filters.' : 'Every change and every refused request appears here.'}
            </EmptyState>
          }
        />
      </Box>
      <EntryDrawer listed={list.items} />
    </>
  );
}
