import { z } from 'zod';
import { AuditHead } from '../records/audit.js';
import { ChainCheck, type ChainReport, type FoundEntry, type FoundHead } from './chainCheck.js';
import { readAuditEvent, type ChainTip, type Digest } from './entryHash.js';

/** A file that is not an export, or not a complete one. */
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
/** Any line; its fields other than the type are parsed by type. */
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
  /** Verifies the seal on the head, if there are keys for it. */
  judgeHead?: (organizationId: string, head: AuditHead | null) => FoundHead;
  /** The last entry of an earlier verification, by organization. */
  earlier?: ReadonlyMap<string, ChainTip> | undefined;
  /** Called regularly with the number of entries verified so far. */
  onProgress?: ((organizationId: string, entryCount: number) => void) | undefined;
}

const PROGRESS_EVERY = 10_000;

/**
 * Verifies an export in NDJSON with bounded memory. Entries that the filters of an export exclude are not a
 * fault.
 *
 * @param openLines returns the lines of the export from its beginning; it is called twice, because the
 * summary comes last
 * @throws UnreadableExportError for an incomplete or invalid export
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
