import type { AssignmentItem, ListedAssignment } from '@gatehouse/contract';
import { Picker } from '../../components/Picker.js';
import type { ControlProps, Field, FormValues } from '../../components/fields.js';
import { useRecord } from '../../data/useRecord.js';
import { useSession } from '../../session/SessionContext.js';
import { ActorField } from './ActorField.js';
import { KIND_NAMES, type ActorChoice, type ActorKind } from './actors.js';
import { definitionChoices, definitionOf } from './sources.js';
import { ParamsField } from './values/ParamsField.js';

export const DEFINITION: Field = {
  name: 'definitionId',
  label: 'Policy definition',
  kind: 'custom',
  isRequired: true,
  render: (props) => <DefinitionPicker {...props} />,
};

function DefinitionPicker({ label, value, error, isDisabled, onChange }: ControlProps) {
  const { project } = useSession();
  const id = typeof value === 'string' ? value : '';
  const { data } = useRecord(definitionOf(project.id, id), { isEnabled: id !== '' });
  return (
    <Picker
      label={label}
      error={error}
      isDisabled={isDisabled}
      isRequired
      value={id === '' ? null : { id, name: data?.record.definition.name ?? id }}
      onChange={(choice) => onChange(choice?.id ?? '')}
      source={definitionChoices(project.id, undefined)}
    />
  );
}

/** The actor, and the values of its placeholders. */
export const actorFields: readonly Field[] = [
  {
    name: 'actor',
    label: 'Actor',
    kind: 'custom',
    render: ({ label, value, error, isDisabled, onChange }) => (
      <ActorField
        label={label}
        value={value as ActorChoice}
        error={error}
        isDisabled={isDisabled}
        onChange={onChange}
      />
    ),
  },
  {
    name: 'params',
    label: 'Values',
    kind: 'custom',
    render: (props, { definitionId }) => <ParamsField {...props} definitionId={String(definitionId)} />,
  },
];

const ID_FIELDS = { TENANT: 'tenantId', TENANT_USER: 'tenantUserId', ORG_USER: 'orgUserId' } as const;

/** The fields of a request for the values of a form; those without a value are left out. */
export function assignmentInput({ actor, ...values }: FormValues): Record<string, unknown> {
  if (actor === undefined) return values;
  const { kind, id } = actor as ActorChoice;
  const named = kind === 'ALL_TENANTS' || id === null ? {} : { [ID_FIELDS[kind]]: id };
  return { ...values, scopeType: kind, ...named };
}

/** The actor of an assignment. */
export function assignedTo({ assignment }: Pick<ListedAssignment, 'assignment'>): ActorChoice {
  const { scopeType, tenantId, tenantUserId, orgUserId } = assignment;
  return { kind: scopeType, id: tenantId ?? tenantUserId ?? orgUserId };
}

/** The name of the actor of an assignment. */
export function actorName({
  assignment,
  tenant,
  tenantUser,
  orgUser,
}: Pick<ListedAssignment, 'assignment' | 'tenant' | 'tenantUser' | 'orgUser'>): string {
  const kind: ActorKind = assignment.scopeType;
  const { tenantId, tenantUserId, orgUserId } = assignment;
  const name = tenant?.name ?? tenantUser?.name ?? orgUser?.name;
  return name ?? tenantId ?? tenantUserId ?? orgUserId ?? KIND_NAMES[kind];
}

/** The values of the form of an assignment. */
export function assignmentValues(item: AssignmentItem): FormValues {
  const { definitionId, params } = item.assignment;
  return { definitionId, actor: assignedTo(item), params };
}
