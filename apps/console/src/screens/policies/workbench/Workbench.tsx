import type { RlsConfig } from '@gatehouse/contract';
import { Button, Switch, Text, Title } from '@mantine/core';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { CodeEditor } from '../../../components/CodeEditor.js';
import { EmptyState } from '../../../components/EmptyState.js';
import { ErrorNotice } from '../../../components/ErrorNotice.js';
import { PageHeader } from '../../../components/PageHeader.js';
import { Picker } from '../../../components/Picker.js';
import { connectionSource, tenantSource } from '../../../data/choices.js';
import { useList } from '../../../data/useList.js';
import { useRecord } from '../../../data/useRecord.js';
import { useUrlState } from '../../../data/urlState.js';
import { isSame } from '../../../logic/formChanges.js';
import { exampleStatement, statementNames } from '../../../logic/policyRules.js';
import { completeValues, type ValueRow } from '../../../logic/valueRows.js';
import { useSession } from '../../../session/SessionContext.js';
import { ActorField } from '../ActorField.js';
import { actorOf, parseActor, writeActor, type ActorChoice } from '../actors.js';
import { useConnectionName } from '../../../data/useConnectionName.js';
import { useCatalog } from '../rules/useCatalog.js';
import { definitionChoices, definitionList, definitionOf } from '../sources.js';
import { WarningList } from '../Warnings.js';
import { Differences } from './Differences.js';
import { NewDraft, StoredDraft } from './DraftRules.js';
import { HeatMap } from './HeatMap.js';
import { RequestValues } from './RequestValues.js';
import { Restricted } from './Restricted.js';
import { Trace } from './Trace.js';
import { usePreview, useWarnings } from './usePreview.js';
import classes from './workbench.module.css';

/**
 * Edits rules beside what they do: a restricted statement, the difference from the stored policies, warnings,
 * and the coverage. The address holds the connection, the actor and the definition. It does not hold the
 * statement, which may contain data.
 */
export function Workbench() {
  const [{ connection }] = useUrlState();
  useOnlyConnection();
  return (
    <>
      <PageHeader title="Policy workbench" path={[{ title: 'Policies', to: '/policies/definitions' }]} />
      <div className={classes['page']}>
        <Choices />
        {connection === undefined ? (
          <EmptyState icon="connection" title="Choose a connection">
            Then preview what its policies do for an actor, and draft changes of their row rules.
          </EmptyState>
        ) : (
          <Bench key={connection} connectionId={connection} />
        )}
      </div>
    </>
  );
}

/** The actor of the address. A preview is of one tenant or user, so that it begins with the tenants. */
const actorIn = (text: string | undefined): ActorChoice => parseActor(text, 'TENANT');

/** Chooses the connection if there is only one. */
function useOnlyConnection() {
  const [{ connection }, setState] = useUrlState();
  const { items, hasMore, isLoading } = useList(connectionSource(''), {
    isEnabled: connection === undefined,
  });
  const only = items.length === 1 && !hasMore && !isLoading ? items[0]?.id : undefined;
  useEffect(() => {
    if (connection === undefined && only !== undefined) setState({ connection: only });
  }, [connection, only, setState]);
}

/** Offers a preview of the first tenant. */
function FirstTenant() {
  const [, setState] = useUrlState();
  const [first] = useList(tenantSource('')).items;
  if (first === undefined) return null;
  const choose = () => setState({ actor: writeActor({ kind: 'TENANT', id: first.id }) });
  return (
    <Button size="compact-sm" variant="light" maw="100%" onClick={choose}>
      Preview as {first.name}
    </Button>
  );
}

function Choices() {
  const [{ connection, definition, actor }, setState] = useUrlState();
  const { project } = useSession();
  const name = useConnectionName(connection);
  const { data } = useRecord(definitionOf(project.id, definition ?? ''), {
    isEnabled: definition !== undefined,
  });
  const chosen = { id: definition ?? '', name: data?.record.definition.name ?? definition ?? '' };
  return (
    <div className={classes['choices']}>
      <div className={classes['choice']}>
        <Picker
          label="Connection"
          value={connection === undefined ? null : { id: connection, name }}
          onChange={(choice) => setState({ connection: choice?.id, definition: undefined }, true)}
          source={connectionSource}
        />
      </div>
      <div className={classes['actorChoice']}>
        <ActorField value={actorIn(actor)} onChange={(choice) => setState({ actor: writeActor(choice) })} />
      </div>
      <div className={classes['choice']}>
        <Picker
          label="Definition to edit"
          placeholder="None: draft new rules"
          isDisabled={connection === undefined}
          value={definition === undefined ? null : chosen}
          onChange={(choice) => setState({ definition: choice?.id }, true)}
          source={definitionChoices(project.id, connection)}
        />
      </div>
    </div>
  );
}

function Bench({ connectionId }: { connectionId: string }) {
  const [{ definition, actor, assigned }, setState] = useUrlState();
  const { project } = useSession();
  const [sql, setSql] = useState('');
  const [draft, setDraft] = useState<{ of: string | undefined; rules: RlsConfig | null }>();
  const [values, setValues] = useState<readonly ValueRow[]>([]);
  const isAssigned = assigned === 'yes';
  const tables = useCatalog(connectionId);
  const names = useMemo(() => statementNames(tables), [tables]);
  const definitions = useList(definitionList(project.id, { connection: connectionId }));
  const matchers = definitions.items.flatMap((item) => item.definition.rlsConfig?.rules ?? []);
  const example = exampleStatement(
    tables,
    matchers.map(({ matcher }) => matcher),
  );
  const { data, error } = useRecord(definitionOf(project.id, definition ?? ''), {
    isEnabled: definition !== undefined,
  });
  const stored = data?.record.definition.rlsConfig ?? null;
  const rules = draft !== undefined && draft.of === definition ? draft.rules : stored;
  const preview = usePreview({
    connectionId,
    actor: actorOf(actorIn(actor)),
    sql,
    definitionId: definition ?? null,
    draft: isSame(rules, stored) ? undefined : rules,
    isAssigned: isAssigned && definition !== undefined,
    runtimeParams: completeValues(values),
  });
  const warnings = useWarnings({ connectionId, definitionId: definition ?? null }, rules);
  const onDraft = useCallback(
    (next: RlsConfig | null) => setDraft({ of: definition, rules: next }),
    [definition],
  );
  const { previewed } = preview;
  const shared = { connectionId, warnings: rules === null ? [] : warnings, onDraft };
  return (
    <>
      <div className={classes['pair']}>
        <section aria-label="Statement" className={classes['part']}>
          <Title order={2} size="h5" mb="xs">
            Statement
          </Title>
          <CodeEditor label="Statement" language="sql" value={sql} schema={names} onChange={setSql} />
          {sql === '' && example !== null && (
            <Button mt="xs" size="compact-sm" variant="light" onClick={() => setSql(example)}>
              Try {example}
            </Button>
          )}
        </section>
        <Restricted
          preview={previewed?.diff?.after ?? previewed?.stored ?? null}
          isDraft={previewed !== null && previewed.diff !== null}
          isPending={preview.isPending}
          suggestion={<FirstTenant />}
        />
      </div>
      <RequestValues
        rows={values}
        definitions={definitions.items.map((item) => item.definition)}
        onChange={setValues}
      />
      {preview.error !== null && (
        <ErrorNotice error={preview.error} title="It could not be previewed" onRetry={preview.retry} />
      )}
      {previewed !== null && <Trace preview={previewed.diff?.after ?? previewed.stored} />}
      <div className={classes['pair']}>
        <section aria-label="Rules" className={classes['part']}>
          <Title order={2} size="h5" mb="xs">
            Rules
          </Title>
          <Text size="sm" c="dimmed" mb="xs">
            Schema and database connection are edited on the page of a definition.
          </Text>
          {definition === undefined && (
            <NewDraft {...shared} onCreate={(id) => setState({ definition: id })} />
          )}
          {error !== null && <ErrorNotice error={error} title="The definition could not be read" />}
          {definition !== undefined && data !== undefined && <StoredDraft {...shared} current={data} />}
        </section>
        <div className={classes['part']}>
          {definition !== undefined && (
            <Switch
              mb="md"
              label="As if it were assigned to this actor"
              checked={isAssigned}
              onChange={(event) => setState({ assigned: event.currentTarget.checked ? 'yes' : undefined })}
            />
          )}
          <Differences diff={previewed?.diff ?? null} />
          {rules === null && <WarningList warnings={warnings} />}
        </div>
      </div>
      <HeatMap connectionId={connectionId} />
    </>
  );
}
