import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The file of a data directory with the places and the secrets of its demo organization. */
export const DEMO_FILE = 'demo.json';

const Port = z.number().int();
const DemoSettings = z.object({
  /** Of its database, on loopback. */
  database: z.object({ port: Port, user: z.string(), password: z.string() }),
  /** Of the receiver of its webhook, on loopback. */
  webhook: z.object({ port: Port }),
  /** The credentials of its second project; absent until that exists. */
  staging: z.object({ projectId: z.string(), projectSecret: z.string() }).optional(),
});
export type DemoSettings = z.infer<typeof DemoSettings>;

/** @throws if the text is damaged */
export function parseDemoSettings(text: string): DemoSettings {
  return DemoSettings.parse(JSON.parse(text));
}

/** @throws if the file is missing or damaged */
export async function readDemoSettings(dataDir: string): Promise<DemoSettings> {
  return parseDemoSettings(await readFile(join(dataDir, DEMO_FILE), 'utf8'));
}

export function formatDemoSettings(settings: DemoSettings): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}
