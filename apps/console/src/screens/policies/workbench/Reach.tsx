import type { Preview } from '@gatehouse/contract';
import { Code, List } from '@mantine/core';

/** Which schemas and which database the policies leave to the actor. Nothing if they state neither. */
export function Reach({ sls, cls }: Pick<Preview, 'sls' | 'cls'>) {
  const files = Object.entries(cls?.filePaths ?? {});
  const address = cls?.connectionString ?? null;
  const schema = sls?.schema ?? null;
  const allowed = sls?.allowedSchemas ?? null;
  if (schema === null && allowed === null && address === null && files.length === 0) return null;
  return (
    <List size="sm" spacing={4} mt="sm" aria-label="Schema and database">
      {schema !== null && (
        <List.Item>
          Tables without a schema are in <Code>{schema}</Code>
        </List.Item>
      )}
      {allowed !== null && (
        <List.Item>
          {allowed.length === 0 ? 'Statements may read no schema' : 'Statements may read only '}
          {allowed.length > 0 && <Code>{allowed.join(', ')}</Code>}
        </List.Item>
      )}
      {address !== null && (
        <List.Item>
          Queries go to <Code>{address}</Code>
        </List.Item>
      )}
      {files.map(([name, path]) => (
        <List.Item key={name}>
          {name} is the file <Code>{path}</Code>
        </List.Item>
      ))}
    </List>
  );
}
