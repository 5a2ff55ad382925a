import { ada, tomas } from './organization.js';
import type { DemoCard, DemoProject } from './shape.js';

const refundsByReason: DemoCard = {
  title: 'Refunds by reason',
  type: 'bar',
  source: { domain: 'retail_returns' },
  table: 'returns',
  metric: 'refund_amount',
  groupBy: 'reason',
};
const returnsByMonth: DemoCard = {
  title: 'Returned orders by month',
  type: 'line',
  source: { schema: 'sales' },
  table: 'orders',
  metric: 'order_count',
  groupBy: 'order_month',
  filter: 'status',
};

/** The second project as data: a dashboard that is ready to be migrated, and what it refers to. */
export const demoStaging: DemoProject = {
  domains: [
    {
      name: 'retail_returns',
      label: 'Returns',
      description: 'Orders that came back',
      datasets: [{ name: 'returns', schema: 'sales', table: 'returns' }],
    },
  ],
  dataModels: [],
  visuals: [
    {
      title: 'Refunds by reason',
      description: 'Why customers return what they ordered',
      owner: tomas,
      isPrivate: true,
      tags: ['returns'],
      shares: [{ scope: 'specific_org_user', role: 'EDITOR', to: ada }],
      card: refundsByReason,
    },
  ],
  dashboards: [
    {
      title: 'Returns',
      description: 'Finished in staging; the migration to production is next',
      owner: tomas,
      isPrivate: true,
      tags: ['returns'],
      shares: [{ scope: 'group', role: 'CONTRIBUTOR', to: 'Governance' }],
      cards: [returnsByMonth],
      visuals: ['Refunds by reason'],
    },
  ],
};
