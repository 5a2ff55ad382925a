import type { CommitOnSave, CommitResult, JsonObject } from '@gatehouse/contract';
import type { EventOrigin } from '@gatehouse/service';

/** A saved dashboard, to be committed to the repository of its project. */
export interface CommitRequest {
  organizationId: string;
  projectId: string;
  dashboardId: string;
  /** The version of the dashboard. One that is older than what the repository holds is not written over it. */
  version: number;
  /** What is written to `dashboards/<id>.json`, in stable key order. */
  content: JsonObject;
  message: string;
  author: { name: string; email: string };
  /** A commit that was asked for before with the same key is answered again, not repeated. */
  key: string;
  /** Of the event that tells of the commit; absent when the platform acts by itself. */
  origin?: EventOrigin;
}

/** The repositories of projects, for those who commit to them. */
export interface Repositories {
  /** `isConfigured` is false where the project has no repository; `commitOnSave` is then `off`. */
  settingsOf(
    organizationId: string,
    projectId: string,
  ): Promise<{ commitOnSave: CommitOnSave; isConfigured: boolean }>;
  /** Never rejects for a fault of the repository or its remote: that is the status `failed`. */
  commit(request: CommitRequest): Promise<CommitResult>;
}
