import { Alert, Button, Code, Group, Loader, Modal, Progress, Stack, Text, TextInput } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { describeError } from '../../components/describeError.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { ShowMore } from '../../components/ShowMore.js';
import { UnsavedGuard } from '../../components/UnsavedGuard.js';
import { useApi, type Api } from '../../data/api.js';
import { useCache } from '../../data/useRecord.js';
import { useValidationRun, type ValidatedDashboard } from '../../data/validationRun.js';
import { calculateRepair, NO_PROGRESS, repairAll, type RepairProgress, type RepairTarget } from './repair.js';
import classes from './Validation.module.css';

/** The value of the address's `dialog` that opens the repair. */
export const REPAIR = 'repair';

interface Props {
  dashboards: readonly RepairTarget[];
  onClose(): void;
  onDone?(): void;
}

/** How many repairs are previewed at first; those that are not are calculated when they are applied. */
const PREVIEWS = 3;

/** The repair of a dashboard, the same while the dialog is open: what is previewed is what is saved. */
const repairOf = (api: Api, dialog: string, target: RepairTarget) =>
  queryOptions({
    queryKey: ['validation', 'repair', dialog, target.id],
    queryFn: ({ signal }) => calculateRepair(api, target, signal),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

/** Previews the repair of dashboards as a diff, applies it to all of them, and lists what failed. */
export function RepairDialog({ dashboards, onClose, onDone }: Props) {
  const api = useApi();
  const queries = useQueryClient();
  const dialog = useId();
  const cache = useCache();
  const { replace } = useValidationRun();
  const [commitMessage, setCommitMessage] = useState('');
  const [progress, setProgress] = useState<RepairProgress | null>(null);
  const [isRunning, setRunning] = useState(false);
  const controller = useRef<AbortController>(null);
  // Kept, because a repaired dashboard leaves the group.
  const [targets] = useState(dashboards);
  useEffect(
    () => () => {
      controller.current?.abort();
      queries.removeQueries({ queryKey: ['validation', 'repair', dialog] });
    },
    [],
  );
  const repaired = useRef<ValidatedDashboard[]>([]);
  const apply = async () => {
    controller.current = new AbortController();
    setRunning(true);
    setProgress(NO_PROGRESS);
    await repairAll(api, {
      targets,
      repairOf: (target) => queries.fetchQuery(repairOf(api, dialog, target)),
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
      <UnsavedGuard isDirty={progress === null && commitMessage !== ''} openedBy="dialog" />
      <Stack>
        {progress === null ? (
          <>
            <Text size="sm">
              {targets.some(({ issues }) => issues !== undefined)
                ? 'The certain renames of this cause are applied.'
                : 'Every certain rename of the dashboard is applied.'}{' '}
              Names with several candidates stay as they are.
            </Text>
            <ShowMore items={targets} step={PREVIEWS}>
              {(part) => part.map((target) => <Preview key={target.id} target={target} dialog={dialog} />)}
            </ShowMore>
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

function Preview({ target, dialog }: { target: RepairTarget; dialog: string }) {
  const { data, error, isLoading } = useQuery(repairOf(useApi(), dialog, target));
  return (
    <div>
      <Text size="sm" fw={500} dir="auto">
        {target.title}
      </Text>
      {isLoading && <Loader role="status" size="xs" aria-label="Calculating the repair" />}
      {error !== null && <ErrorNotice error={error} title="The repair cannot be previewed" />}
      {data?.fixes.length === 0 && (
        <Text size="sm" c="dimmed">
          No certain repair. Edit the template by hand.
        </Text>
      )}
      <ShowMore items={data?.fixes ?? []} step={10}>
        {(part) =>
          part.map(({ path, from, to }) => (
            <div key={`${path} ${from}`} className={classes['diff']}>
              <div>{path}</div>
              <div>
                <del className={classes['removed']}>{from}</del> <ins className={classes['added']}>{to}</ins>
              </div>
            </div>
          ))
        }
      </ShowMore>
    </div>
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
