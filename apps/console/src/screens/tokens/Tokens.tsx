import { PageHeader } from '../../components/PageHeader.js';
import { TabBar } from '../../components/TabBar.js';
import { IssueToken } from './IssueToken.js';
import { RevokeToken } from './RevokeToken.js';

/** Issues and revokes access tokens. The API lists none: it keeps no copy of what it issued. */
export function Tokens() {
  return (
    <>
      <PageHeader
        title="Tokens"
        detail="What programs, and people without a session, prove themselves with."
      />
      <TabBar
        label="Parts of the tokens"
        tabs={[
          { id: 'issue', title: 'Issue', content: () => <IssueToken /> },
          { id: 'revoke', title: 'Revoke', content: () => <RevokeToken /> },
        ]}
      />
    </>
  );
}
