import { services, type ServiceName } from '@gatehouse/contract';

/** A process of the platform that has an image. */
export type App = 'gateway' | ServiceName;

export const SERVICES = Object.keys(services) as ServiceName[];
export const APPS: readonly App[] = ['gateway', ...SERVICES];

/** The images that the suite runs. Those of the platform are one for each process, which takes the place of `*`. */
const IMAGES = {
  mongodb: process.env['MONGO_IMAGE'] ?? 'mongo:8.0',
  nats: process.env['NATS_IMAGE'] ?? 'nats:2.11-alpine',
  gatehouse: process.env['GATEHOUSE_IMAGE'] ?? 'gatehouse/*:local',
};

export const { mongodb: MONGO_IMAGE, nats: NATS_IMAGE } = IMAGES;

export function imageOf(app: App): string {
  return IMAGES.gatehouse.replace('*', app);
}
