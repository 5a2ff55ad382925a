/**
 * The changes that cannot be checked without being made, and why. A call of any other change may have
 * `validateOnly`. A test holds this table against the route table.
 */
export const WITHOUT_DRY_RUN: Readonly<Record<string, string>> = {
  'directory.tokens.issue': 'issues a token and changes no record',
  'directory.tokens.createSignInCode': 'issues a code and changes no record',
  'directory.tokens.invalidate': 'revokes the token of the request and has no other check',
  'lifecycle.migrations.migrate': 'has `dryRun`, which returns the plan',
  'lifecycle.migrations.rollback': 'undoes steps in other services, each of which is checked when it runs',
  'lifecycle.versionControl.put': 'creates and pushes a git repository',
  'lifecycle.versionControl.remove': 'deletes a git repository',
  'lifecycle.versionControl.commit': 'writes to a git repository',
  'lifecycle.versionControl.restore': 'writes to a git repository',
  'audit.webhooks.test': 'sends a request to the receiver',
  'audit.webhooks.replayDelivery': 'sends a request to the receiver',
  'audit.webhooks.replayFailed': 'sends requests to the receiver',
};
