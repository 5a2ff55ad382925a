import type { DemoDataModel, DemoDomain } from './shape.js';

/** The semantic domains and data models of the first project as data. */

export const demoDomains: DemoDomain[] = [
  {
    name: 'retail_sales',
    label: 'Sales',
    description: 'Orders and the stores that took them',
    datasets: [
      { name: 'orders', schema: 'sales', table: 'orders' },
      { name: 'stores', schema: 'sales', table: 'stores' },
    ],
    relationships: [
      { source: 'orders', target: 'stores', on: [{ sourceColumn: 'store_id', targetColumn: 'id' }] },
    ],
    calculatedFields: [
      { dataset: 'orders', name: 'net_amount', expression: 'total_amount / 1.25', type: 'numeric' },
    ],
  },
  {
    name: 'retail_marketing',
    label: 'Marketing',
    description: 'Campaigns and the bookings that they brought',
    datasets: [
      { name: 'campaigns', schema: 'marketing', table: 'campaigns' },
      { name: 'bookings', schema: 'marketing', table: 'bookings' },
    ],
    relationships: [
      { source: 'bookings', target: 'campaigns', on: [{ sourceColumn: 'campaign_id', targetColumn: 'id' }] },
    ],
  },
];

export const demoDataModels: DemoDataModel[] = [
  {
    name: 'Stock',
    description: 'What is in stock, and when to reorder it',
    datasets: [
      { name: 'stock', schema: 'inventory', table: 'stock_levels' },
      { name: 'products', schema: 'inventory', table: 'products' },
    ],
    relationships: [
      { source: 'stock', target: 'products', on: [{ sourceColumn: 'product_id', targetColumn: 'id' }] },
    ],
  },
];
