import { services, type ServiceName } from '@gatehouse/contract';

/** A process of the platform that has an image. */
export type App = 'gateway' | ServiceName;

export const SERVICES = Object.keys(services) as ServiceName[];
export const APPS: readonly App[] = ['gateway', ...SERVICES];

/** The images of the suite. Those of the platform are one for each process, whose name replaces `*`. */
const IMAGES = {
  mongodb:
    process.env['MONGO_IMAGE'] ??
    'mongo:8.0@sha256:4968f22d0c6c10ef29952f3e807f62872ba22b3312f25803564fbfc08255efc2',
  nats:
    process.env['NATS_IMAGE'] ??
    'nats:2.11-alpine@sha256:e4bf19f15fd3218814a4e3c9e0064e1334bd8aa20d5984b9f1a0afd084f8cc00',
  gatehouse: process.env['GATEHOUSE_IMAGE'] ?? 'gatehouse/*:local',
};

export const { mongodb: MONGO_IMAGE, nats: NATS_IMAGE } = IMAGES;

export function imageOf(app: App): string {
  return IMAGES.gatehouse.replace('*', app);
}
