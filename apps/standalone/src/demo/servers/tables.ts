/** The demo database as SQL. Its rows follow from their numbers, so that every installation has the same. */

/** The role of the clients, which may only read. */
export const READER = 'meridian_reader';
export const DATABASE = 'postgres';
export const SEARCH_PATH = 'sales';

/** The number of rows of each table that has one. */
const ORDERS = 4000;
const BOOKINGS = 600;
const FIRST_DAY = `date '2026-01-01'`;

const tenantOf = (number: string) =>
  `(array['harbor-foods', 'alpine-outdoor', 'citrus-travel', 'nordic-bikes'])[1 + ${number} % 4]`;

export const CREATE_TABLES = `
CREATE SCHEMA sales;
CREATE SCHEMA inventory;
CREATE SCHEMA marketing;

CREATE TABLE sales.stores (
  id integer PRIMARY KEY, tenant_id text NOT NULL, store_name text NOT NULL, city text NOT NULL,
  region text NOT NULL, opened_on date NOT NULL);
INSERT INTO sales.stores
SELECT n, ${tenantOf('n')}, city, city, region, date '2019-03-01' + n * 40
FROM generate_series(0, 23) n
JOIN (VALUES (0, 'Oslo', 'North'), (1, 'Hamburg', 'North'), (2, 'Gdansk', 'North'), (3, 'Lyon', 'West'),
  (4, 'Porto', 'West'), (5, 'Turin', 'South')) places (number, city, region) ON number = n / 4;

CREATE TABLE sales.orders (
  id integer PRIMARY KEY, tenant_id text NOT NULL, store_id integer NOT NULL REFERENCES sales.stores,
  store_name text NOT NULL, region text NOT NULL, ordered_on date NOT NULL, order_month date NOT NULL,
  shipped_on date, days_to_ship integer, status text NOT NULL, order_count integer NOT NULL,
  total_amount numeric(12, 2) NOT NULL);
INSERT INTO sales.orders
SELECT n, s.tenant_id, s.id, s.store_name, s.region, day, date_trunc('month', day)::date,
  CASE WHEN n % 17 = 0 THEN NULL ELSE day + 1 + n % 5 END, CASE WHEN n % 17 = 0 THEN NULL ELSE 1 + n % 5 END,
  CASE WHEN n % 17 = 0 THEN 'open' WHEN n % 23 = 0 THEN 'returned' ELSE 'delivered' END, 1,
  (20 + n * 7919 % 18000 / 100.0)::numeric(12, 2)
FROM generate_series(1, ${ORDERS}) n
JOIN sales.stores s ON s.id = n * 31 % 24,
  LATERAL (SELECT ${FIRST_DAY} + n * 97 % 320 AS day);

CREATE TABLE sales.returns (
  id integer PRIMARY KEY, tenant_id text NOT NULL, order_id integer NOT NULL REFERENCES sales.orders,
  returned_on date NOT NULL, reason text NOT NULL, refund_amount numeric(12, 2) NOT NULL);
INSERT INTO sales.returns
SELECT id, tenant_id, id, ordered_on + 9,
  (array['Damaged', 'Too late', 'Wrong item', 'Changed mind'])[1 + id % 4], total_amount
FROM sales.orders WHERE status = 'returned';

CREATE TABLE inventory.products (
  id integer PRIMARY KEY, tenant_id text NOT NULL, product_name text NOT NULL, category text NOT NULL,
  list_price numeric(12, 2) NOT NULL);
INSERT INTO inventory.products
SELECT n, ${tenantOf('n')}, kind || ' ' || (1 + n / 20), kind, (5 + n * 37 % 240)::numeric(12, 2)
FROM generate_series(0, 79) n,
  LATERAL (SELECT (array['Granola', 'Tent', 'City tour', 'Helmet', 'Olive oil', 'Rucksack', 'Ferry ticket',
    'Gravel bike', 'Coffee', 'Stove', 'Rail pass', 'Lock', 'Rice', 'Rope', 'Museum card', 'Saddle', 'Honey',
    'Boots', 'Wine tasting', 'Pump'])[1 + n % 20] AS kind);

CREATE TABLE inventory.stock_levels (
  id integer PRIMARY KEY, tenant_id text NOT NULL, product_id integer NOT NULL REFERENCES inventory.products,
  product_name text NOT NULL, units_on_hand integer NOT NULL, reorder_point integer NOT NULL,
  unit_margin numeric(12, 2) NOT NULL, counted_on date NOT NULL);
INSERT INTO inventory.stock_levels
SELECT id, tenant_id, id, product_name, id * 53 % 140, 25, (list_price * 0.3)::numeric(12, 2),
  date '2026-11-01' + id % 14
FROM inventory.products;

CREATE TABLE marketing.campaigns (
  id integer PRIMARY KEY, tenant_id text NOT NULL, campaign_name text NOT NULL, starts_on date NOT NULL,
  budget_amount numeric(12, 2) NOT NULL);
INSERT INTO marketing.campaigns
SELECT n, ${tenantOf('n')}, (array['Spring', 'Summer', 'Autumn', 'Winter'])[1 + n / 4 % 4] || ' campaign',
  ${FIRST_DAY} + n * 20, 4000 + n * 250
FROM generate_series(0, 15) n;

CREATE TABLE marketing.bookings (
  id integer PRIMARY KEY, tenant_id text NOT NULL,
  campaign_id integer NOT NULL REFERENCES marketing.campaigns,
  channel text NOT NULL, booked_on date NOT NULL, booking_count integer NOT NULL,
  booking_amount numeric(12, 2) NOT NULL);
INSERT INTO marketing.bookings
SELECT n, c.tenant_id, c.id, (array['Search', 'Social', 'E-mail', 'Partner'])[1 + n * 7 % 4],
  c.starts_on + n % 60, 1 + n % 3, (35 + n * 613 % 900)::numeric(12, 2)
FROM generate_series(1, ${BOOKINGS}) n JOIN marketing.campaigns c ON c.id = n % 16;

CREATE ROLE ${READER};
GRANT USAGE ON SCHEMA sales, inventory, marketing TO ${READER};
GRANT SELECT ON ALL TABLES IN SCHEMA sales, inventory, marketing TO ${READER};
DROP SCHEMA public;
`;

/** Renames a column, once, as a team does that forgets the dashboards. */
export const RENAME_COLUMN = `
DO $$ BEGIN
  IF EXISTS (SELECT FROM information_schema.columns
    WHERE table_name = 'orders' AND column_name = 'shipped_on')
  THEN ALTER TABLE sales.orders RENAME COLUMN shipped_on TO dispatched_on;
  END IF;
END $$`;
