import { z } from 'zod';
import { AuditHead } from '../records/audit.js';
import { ChainCheck, type ChainReport, type FoundEntry, type FoundHead } from './chainCheck.js';
import { readAuditEvent, type ChainTip, type Digest } from './entryHash.js';

/** A file that is no export, or not a complete one. */
export class UnreadableExportError extends Error {
  override readonly name = 'UnreadableExportError';
}

/** The last line of an export. */
const Summary = z.object({
  type: z.literal('summary'),
  organizationId: z.string(),
  isWhole: z.boolean(),
  head: AuditHead.nullable(),
  total: z.number().int(),
});
/** Any line; what it holds beside the type is looked at by type. */
const Line = z.looseObject({ type: z.enum(['auditEvent', 'progress', 'summary', 'error']) });
const Placed = z.looseObject({ sequence: z.number() });

async function* readLines(lines: AsyncIterable<string>): AsyncGenerator<z.infer<typeof Line>> {
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text !== '') yield parseLine(text, number);
  }
}

function parseLine(text: string, number: number): z.infer<typeof Line> {
  try {
    return Line.parse(JSON.parse(text));
  } catch (cause) {
    throw new UnreadableExportError(`line ${number} is not of an export as NDJSON`, { cause });
  }
}

async function findSummary(lines: AsyncIterable<string>): Promise<z.infer<typeof Summary>> {
  let last: z.infer<typeof Line> | undefined;
  for await (const line of readLines(lines)) last = line;
  const summary = Summary.safeParse(last);
  if (!summary.success) throw new UnreadableExportError('it does not end with the summary of an export');
  return summary.data;
}

function foundIn(value: unknown): FoundEntry {
  const entry = readAuditEvent(value);
  if (entry !== null) return { entry, sequence: entry.sequence };
  const placed = Placed.safeParse(value);
  return { entry: null, sequence: placed.success ? placed.data.sequence : Number.NaN };
}

export interface ExportCheckOptions {
  digest: Digest;
  /** Looks at the seal on the head, where there are keys for it. */
  judgeHead?: (organizationId: string, head: AuditHead | null) => FoundHead;
  /** What an earlier verification found last, by organization. */
  earlier?: ReadonlyMap<string, ChainTip> | undefined;
  /** Told from time to time how many entries were looked at. */
  onProgress?: ((organizationId: string, entryCount: number) => void) | undefined;
}

const PROGRESS_EVERY = 10_000;

/**
 * Verifies an export as NDJSON, in bounded memory. What an export with filters leaves out is no fault.
 *
 * @param openLines gives the lines of the export from its beginning; it is called twice, as the summary comes last
 * @throws UnreadableExportError for what is no complete export
 */
export async function checkExport(
  openLines: () => AsyncIterable<string>,
  { digest, judgeHead = (_, head) => ({ head }), earlier, onProgress }: ExportCheckOptions,
): Promise<ChainReport & { isWhole: boolean }> {
  const { organizationId, isWhole, head, total } = await findSummary(openLines());
  const check = new ChainCheck(organizationId, judgeHead(organizationId, head), {
    digest,
    isWhole,
    total,
    earlier: earlier?.get(organizationId),
  });
  let count = 0;
  for await (const line of readLines(openLines())) {
    if (line.type !== 'auditEvent') continue;
    check.add(foundIn(line['auditEvent']));
    count += 1;
    if (count % PROGRESS_EVERY === 0) onProgress?.(organizationId, count);
  }
  return { ...check.report(), isWhole };
}
