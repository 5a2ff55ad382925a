import type { Client, OperationId, OperationInput, OperationOutput } from '@gatehouse/client';

type ElementOf<T> = T extends readonly (infer Item)[] ? Item : never;
/** The items of the one list in a response. */
export type ItemOf<O extends OperationId> = {
  [Name in keyof OperationOutput<O>]-?: ElementOf<OperationOutput<O>[Name]>;
}[keyof OperationOutput<O>];

type Input = Readonly<Record<string, unknown>>;

/** All items of a list, page by page where it has pages. */
export async function readAll<O extends OperationId>(
  client: Client,
  operation: O,
  input: OperationInput<O>,
): Promise<ItemOf<O>[]> {
  const lists = client.items as unknown as Partial<Record<string, (input: Input) => AsyncIterable<unknown>>>;
  const list = lists[operation];
  const items: unknown[] = [];
  if (list) for await (const item of list(input)) items.push(item);
  else items.push(...(await readOnce(client, operation, input)));
  return items as ItemOf<O>[];
}

async function readOnce(client: Client, operation: string, input: Input): Promise<unknown[]> {
  const operations = client as unknown as Record<string, (input: Input) => Promise<object>>;
  const answer = await operations[operation]?.(input);
  return Object.values(answer ?? {}).find((value) => Array.isArray(value)) ?? [];
}
