import type { AccessLevel, ResourceType, ShareScope, UserRole, UserType } from '@gatehouse/contract';

/** Whom access is decided for. */
export interface UserAccessFacts {
  readonly type: UserType;
  /** Never given to another user, even where an id is. */
  readonly userKey: string;
  readonly role: UserRole;
  readonly isActive: boolean;
  /** The key of the user's tenant; null for org users. */
  readonly tenantKey: string | null;
  readonly groupIds: readonly string[];
}

/** One share, as far as access depends on it. */
export interface ShareFacts {
  id: string;
  scope: ShareScope;
  role: AccessLevel;
  /** Whom it reaches, as `subjectOfShare` writes it; a user reaches it when `subjectsOfUser` holds the same text. */
  subject: string;
  /** From this moment on it grants nothing. */
  expiresAt: Date | null;
}

/** A dashboard or visual, as far as access depends on it. */
export interface ResourceFacts {
  id: string;
  projectId: string;
  type: ResourceType;
  ownerKey: string;
  ownerType: UserType;
  /** The key of the owner's tenant; null where an org user owns it. */
  ownerTenantKey: string | null;
  isPrivate: boolean;
  shares: readonly ShareFacts[];
}

/** The facts of one decision. */
export interface AccessQuestion {
  /** Null asks for the bearer of a dashboard token without an identity. */
  user: UserAccessFacts | null;
  resource: ResourceFacts;
  /** The dashboards that link this visual; those of another project give nothing. Empty for a dashboard. */
  linkedFrom: readonly ResourceFacts[];
  /** The dashboard whose token asks, if one does: its bearer may view that dashboard. */
  tokenDashboardId?: string | undefined;
  now: Date;
}
