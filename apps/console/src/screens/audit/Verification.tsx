import type { AuditEvent } from '@gatehouse/contract';
import { Alert, Button, Code, Group, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { download } from '../../components/download.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { Icon } from '../../components/Icon.js';
import { Page } from '../../components/Page.js';
import { useApi } from '../../data/api.js';
import { useUrlState } from '../../data/urlState.js';
import { LinkCheck, type LinkReport } from '../../logic/chainLinks.js';
import { useSession } from '../../session/SessionContext.js';
import { filterInput } from './sources.js';

interface Result extends LinkReport {
  isWhole: boolean;
}

interface State {
  progress: { done: number; total: number } | null;
  result: Result | null;
  error: unknown;
}

/** Exports the log with what it can be verified by, and follows its hashes. */
export function Verification() {
  const api = useApi();
  const [filters] = useUrlState();
  const { project } = useSession();
  const controller = useRef<AbortController>(null);
  const [{ progress, result, error }, setState] = useState<State>({
    progress: null,
    result: null,
    error: null,
  });
  useEffect(() => () => controller.current?.abort(), []);
  const run = async (isSaved: boolean) => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    setState({ progress: { done: 0, total: 0 }, result: null, error: null });
    const links = new LinkCheck();
    const lines: string[] = [];
    try {
      for await (const line of api.stream.exportAuditEvents(filterInput(filters, project.id), { signal })) {
        if (isSaved) lines.push(`${JSON.stringify(line)}\n`);
        if (line.type === 'auditEvent') links.add(line.auditEvent satisfies AuditEvent);
        if (line.type === 'progress') setState((former) => ({ ...former, progress: line }));
        if (line.type === 'summary')
          setState({
            progress: null,
            error: null,
            result: { ...links.end(line.head), isWhole: line.isWhole },
          });
      }
      if (isSaved) download('audit-log.ndjson', 'application/x-ndjson', lines);
    } catch (failure) {
      setState({ progress: null, result: null, error: signal.aborted ? null : failure });
    }
  };
  return (
    <Page>
      <Stack gap="md">
        <Text size="sm">
          Each entry has the hash of the entry before it, and the end of the log is sealed. The console
          follows the hashes of the whole log. The seals need the key of the platform: verify them on its
          machine with <Code>npm run audit -- verify --file audit-log.ndjson</Code>.
        </Text>
        <Group>
          <Button
            leftSection={<Icon name="check" />}
            disabled={progress !== null}
            onClick={() => void run(false)}
          >
            Follow the hashes
          </Button>
          <Button
            variant="default"
            leftSection={<Icon name="download" />}
            disabled={progress !== null}
            onClick={() => void run(true)}
          >
            Export as NDJSON
          </Button>
          {progress !== null && (
            <Button variant="default" onClick={() => controller.current?.abort()}>
              Cancel
            </Button>
          )}
        </Group>
        {progress !== null && (
          <>
            <Progress
              value={progress.total === 0 ? 0 : (progress.done / progress.total) * 100}
              aria-label="Progress of the export"
              transitionDuration={0}
            />
            <Text size="sm" role="status">
              {progress.done.toLocaleString('en')} of {progress.total.toLocaleString('en')} entries
            </Text>
          </>
        )}
        {error !== null && <ErrorNotice error={error} title="The export did not finish" />}
        {result !== null && <Report result={result} />}
      </Stack>
    </Page>
  );
}

function Report({ result: { count, isWhole, brokenAt, hasHead } }: { result: Result }) {
  const entries = `${count.toLocaleString('en')} entries`;
  if (!isWhole)
    return (
      <Alert color="yellow" title={`${entries} exported`}>
        The filters leave entries out, so the hashes cannot be followed. Clear the filters to verify the log.
      </Alert>
    );
  if (brokenAt !== null)
    return (
      <Alert color="red" title="The log is damaged">
        The entry with the sequence {brokenAt} does not follow the one before it.
      </Alert>
    );
  if (hasHead === false)
    return (
      <Alert color="red" title="The end of the log is missing">
        The last of {entries} is not the one that the head of the log names.
      </Alert>
    );
  return (
    <Alert color="teal" title="The hashes are intact">
      All {entries} follow each other{hasHead === null ? '.' : ', up to the head of the log.'}
    </Alert>
  );
}
