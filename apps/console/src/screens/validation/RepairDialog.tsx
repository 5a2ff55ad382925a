import { Alert, Button, Code, Group, Loader, Modal, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { describeError } from '../../components/describeError.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { ShowMore } from '../../components/ShowMore.js';
import { useApi } from '../../data/api.js';
import { useCache } from '../../data/useRecord.js';
import { useValidationRun, type ValidatedDashboard } from '../../data/validationRun.js';
import { NO_PROGRESS, repairAll, type RepairProgress } from './repair.js';
import classes from './Validation.module.css';

interface Props {
  dashboards: readonly { id: string; title: string }[];
  onClose(): void;
  onDone?(): void;
}

/** How many repairs are previewed; the others are calculated when they are applied. */
const PREVIEWS = 3;

/** Previews the repair of dashboards as a diff, applies it to all of them, and lists what failed. */
export function RepairDialog({ dashboards, onClose, onDone }: Props) {
  const api = useApi();
  const cache = useCache();
  const { replace } = useValidationRun();
  const [commitMessage, setCommitMessage] = useState('');
  const [progress, setProgress] = useState<RepairProgress | null>(null);
  const [isRunning, setRunning] = useState(false);
  const controller = useRef<AbortController>(null);
  // Kept, because a repaired dashboard leaves the group.
  const [targets] = useState(dashboards);
  useEffect(() => () => controller.current?.abort(), []);
  const repaired = useRef<ValidatedDashboard[]>([]);
  const apply = async () => {
    controller.current = new AbortController();
    setRunning(true);
    setProgress(NO_PROGRESS);
    await repairAll(api, {
      dashboards: targets,
      commitMessage: commitMessage.trim(),
      signal: controller.current.signal,
      onRepaired: (result) => repaired.current.push(result),
      onProgress: setProgress,
    });
    setRunning(false);
    await cache.outdate('dashboards', 'validation');
  };
  const close = () => {
    controller.current?.abort();
    onClose();
    // At last, because the cause that contains this dialog may then have no issues.
    for (const result of repaired.current) replace(result);
    onDone?.();
  };
  return (
    <Modal
      opened
      onClose={close}
      title="Repair the template"
      size="xl"
      closeOnClickOutside={!isRunning}
      centered
    >
      <Stack>
        {progress === null ? (
          <>
            <Text size="sm">
              Every certain rename of{' '}
              {targets.length === 1 ? 'the dashboard' : `these ${targets.length} dashboards`} is applied.
              Names with several candidates stay as they are.
            </Text>
            <Previews dashboards={targets} />
            <TextInput
              label="Commit message"
              description="Needed if the project requires one."
              maxLength={5000}
              value={commitMessage}
              onChange={(event) => setCommitMessage(event.currentTarget.value)}
            />
          </>
        ) : (
          <Outcome progress={progress} total={targets.length} isRunning={isRunning} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={isRunning ? () => controller.current?.abort() : close}>
            {isRunning ? 'Stop' : progress === null ? 'Cancel' : 'Close'}
          </Button>
          {progress === null && (
            <Button onClick={() => void apply()}>
              Apply to {targets.length === 1 ? 'the dashboard' : `all ${targets.length}`}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

function Previews({ dashboards }: { dashboards: Props['dashboards'] }) {
  const api = useApi();
  const shown = dashboards.slice(0, PREVIEWS);
  const previews = useQueries({
    queries: shown.map(({ id }) => ({
      queryKey: ['validation', 'fix', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.fixDashboard({ dashboardId: id }, { signal }),
      staleTime: 0,
    })),
  });
  return (
    <>
      {shown.map(({ id, title }, index) => {
        const preview = previews[index];
        return (
          <div key={id}>
            <Text size="sm" fw={500} dir="auto">
              {title}
            </Text>
            {preview?.isLoading && <Loader role="status" size="xs" aria-label="Calculating the repair" />}
            {preview?.error && <ErrorNotice error={preview.error} title="The repair cannot be previewed" />}
            {preview?.data?.fixes.length === 0 && (
              <Text size="sm" c="dimmed">
                No certain repair. Edit the template by hand.
              </Text>
            )}
            <ShowMore items={preview?.data?.fixes ?? []} step={10}>
              {(part) =>
                part.map(({ path, from, to }) => (
                  <div key={path} className={classes['diff']}>
                    <div>{path}</div>
                    <div>
                      <del className={classes['removed']}>{from}</del>{' '}
                      <ins className={classes['added']}>{to}</ins>
                    </div>
                  </div>
                ))
              }
            </ShowMore>
          </div>
        );
      })}
      {dashboards.length > PREVIEWS && (
        <Text size="sm" c="dimmed">
          The first {PREVIEWS} of {dashboards.length} are previewed.
        </Text>
      )}
    </>
  );
}

function Outcome(props: { progress: RepairProgress; total: number; isRunning: boolean }) {
  const { progress, total, isRunning } = props;
  const { done, repaired, unchanged, failures } = progress;
  return (
    <Stack gap="xs">
      <Progress value={(done / total) * 100} aria-label="Progress of the repair" transitionDuration={0} />
      <Text size="sm" role="status">
        {isRunning ? `${done} of ${total}` : `${repaired} repaired`}
        {!isRunning && unchanged > 0 && `, ${unchanged} without a certain repair`}
        {!isRunning && done < total && `, ${total - done} not started`}
      </Text>
      {failures.length > 0 && (
        <Alert color="red" title={`${failures.length} failed`}>
          <ShowMore items={failures} step={20}>
            {(part) =>
              part.map(({ id, title, error }) => {
                const { message, code, requestId } = describeError(error);
                return (
                  <Text key={id} size="sm" dir="auto">
                    {title}: {message} {code !== null && <Code>{code}</Code>}{' '}
                    {requestId !== null && <Code>{requestId}</Code>}
                  </Text>
                );
              })
            }
          </ShowMore>
        </Alert>
      )}
    </Stack>
  );
}
