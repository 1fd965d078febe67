/** A table of the cells whose rows a reporting database has as well. */
export interface ReportedTable {
  /** For example `public.voice`. */
  name: string;
  /** Columns that stay in the cell: secrets, and what no list shows. */
  omit?: readonly string[];
  /** A unique index that identifies a row in place of the primary key, which is omitted. */
  identity?: string;
}

/** Tables of a publication of the cells. */
export interface Publication {
  name: string;
  tables: readonly ReportedTable[];
  /** The changes that it publishes. */
  publishes: string;
}

const of = (name: string, rest: Omit<ReportedTable, 'name'> = {}): ReportedTable => ({
  name: `public.${name}`,
  ...rest,
});

/**
 * What the lists of staff read. The ledger is not among it: its rows name accounts by numbers, which each cell gives. Neither is
 * what changes with every request.
 */
const LISTED: readonly ReportedTable[] = [
  of('account'),
  of('service_account'),
  of('api_key'),
  of('api_key_use'),
  of('api_key_secret', { omit: ['digest'], identity: 'api_key_secret_number_idx' }),
  of('credit_balance'),
  of('prepaid_grant'),
  of('contact', { omit: ['sealed_url'] }),
  of('webhook_endpoint', { omit: ['sealed_secret'] }),
  of('key_finding'),
  of('key_finding_acceptance'),
  of('key_safety_day'),
  of('voice'),
  of('review', { omit: ['measurements', 'impairments', 'second_opinion', 'samples'] }),
  { name: 'staff_auth.member' },
];

/** Rows that are only ever added. Their ids are numbers, which are the same in several cells: no change is found by them. */
const EVENTS: readonly ReportedTable[] = [of('audit_event'), of('review_event')];

export const PUBLICATIONS: readonly Publication[] = [
  { name: 'greenroom_report', tables: LISTED, publishes: 'insert, update, delete' },
  { name: 'greenroom_report_events', tables: EVENTS, publishes: 'insert' },
];

export const REPORTED_TABLES: readonly ReportedTable[] = PUBLICATIONS.flatMap(({ tables }) => tables);

/** Tables whose ids say nothing in a reporting database. */
export const EVENT_TABLES: readonly string[] = EVENTS.map(({ name }) => name);

/** The subscription of a reporting database to a cell. */
export const SUBSCRIPTION = 'greenroom_';

/** The replication slot that a reporting database has in a cell: names of slots have no capitals, marks of cells may. */
export function slotOf(cell: string): string {
  return `greenroom_report_${Buffer.from(cell, 'latin1').toString('hex')}`;
}
