import type { OperationInput } from '@gatehouse/client';
import type { ControlProps, Field, FormValues } from '../../components/fields.js';
import { Picker } from '../../components/Picker.js';
import { peopleSource, type PersonChoice } from '../../data/choices.js';
import { usePersonName } from '../../data/names.js';

/** What the form issues. */
export type Issue = 'user' | 'project' | 'compiler' | 'link';

/** The user of a token, as the form keeps it. */
export interface TokenUser {
  id: string;
  kind: 'organization' | 'tenant';
}

const ISSUES: readonly { value: Issue; label: string }[] = [
  { value: 'user', label: 'Access token of a user' },
  { value: 'project', label: 'Access token of the project, without a user' },
  { value: 'compiler', label: 'Access token that can only compile SQL' },
  { value: 'link', label: 'Sign-in link of a user, to this console' },
];
const EXPIRIES = [
  { value: '900', label: '15 minutes' },
  { value: '1800', label: '30 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '28800', label: '8 hours' },
  { value: '86400', label: '24 hours' },
];
const DOMAIN_MODES = [
  { value: 'all', label: 'All' },
  { value: 'none', label: 'None' },
  { value: 'include', label: 'Only these' },
  { value: 'exclude', label: 'All except these' },
];

const issueOf = (values: FormValues) => values['issue'] as Issue;
const isOfUser = (values: FormValues) => ['user', 'link'].includes(issueOf(values));
const hasDomains = (values: FormValues) => ['user', 'project'].includes(issueOf(values));
const namesDomains = (values: FormValues) => ['include', 'exclude'].includes(String(values['mode']));

/** The fields of a token of a project. */
export function tokenFields(project: string): Field[] {
  return [
    {
      name: 'issue',
      label: 'What to issue',
      description:
        'What a user may do stays that of the role and the shares, also after the token is issued.',
      kind: 'select',
      options: ISSUES,
    },
    {
      name: 'person',
      label: 'User',
      kind: 'custom',
      isRequired: true,
      isShown: isOfUser,
      render: (control) => <UserPicker {...control} />,
    },
    {
      name: 'tokenExpiry',
      label: 'Expires after',
      kind: 'select',
      options: EXPIRIES,
      isShown: (values) => issueOf(values) !== 'link',
    },
    {
      name: 'mode',
      label: 'Semantic domains',
      description: 'Which of them the token can read.',
      kind: 'select',
      options: DOMAIN_MODES,
      isShown: hasDomains,
    },
    {
      name: 'domains',
      label: 'Domains',
      description: 'Their names or ids.',
      kind: 'tags',
      isRequired: true,
      isShown: (values) => hasDomains(values) && namesDomains(values),
    },
    {
      name: 'projectSecret',
      label: `Secret of the project ${project}`,
      description: 'It was shown when the project was created, or its secret rotated. It is not kept here.',
      kind: 'password',
      isRequired: true,
    },
  ];
}

function UserPicker({ label, value, error, onChange }: ControlProps) {
  const user = value as TokenUser | null;
  const name = usePersonName(user?.id);
  return (
    <Picker
      label={label}
      error={error}
      isRequired
      value={user === null ? null : { id: user.id, name }}
      onChange={(choice) =>
        onChange(choice === null ? null : { id: choice.id, kind: (choice as PersonChoice).kind })
      }
      source={(search) => peopleSource(search)}
    />
  );
}

/** The request for what the values of the form describe. */
export function tokenRequest(values: FormValues, projectId: string): OperationInput<'issueToken'> {
  const { person, mode, domains, tokenExpiry, projectSecret } = values;
  const issue = issueOf(values);
  const user = person as TokenUser;
  const byKind = user?.kind === 'tenant' ? { endUserId: user.id } : { orgUserId: user?.id };
  const access = namesDomains(values) ? { mode, domains } : { mode };
  return {
    projectId,
    projectSecret: String(projectSecret),
    ...(isOfUser(values) ? byKind : {}),
    ...(issue === 'compiler' ? { scope: 'sql:compile' } : {}),
    ...(issue === 'link' ? {} : { tokenExpiry: Number(tokenExpiry) }),
    ...(hasDomains(values) && mode !== 'all' ? { semanticDomainAccess: access } : {}),
  } as OperationInput<'issueToken'>;
}
