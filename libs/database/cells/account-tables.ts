/** How the rows of a table go along when their account moves to another cell. */
export interface MovedTable {
  name: string;
  /** Which rows belong to the account `$1`, in SQL. */
  rows: string;
  /** Columns that the other cell fills: serial ids, which would collide. */
  skip?: readonly string[];
  /** Columns that name what exists in one cell only: null in the other one. */
  clear?: readonly string[];
  /** Rows that others may have as well, or that protect the cell they are in: they stay, and are added where they are missing. */
  shared?: boolean;
  /** Statistics, of which a few may be written while the account is frozen. */
  late?: boolean;
  /** Rows that went ahead, by this column, and are updated. */
  ahead?: 'subject_id';
  /** A column that only the cell's APP_SECRET opens. */
  sealed?: 'sealed_secret' | 'sealed_url';
}

const OWN = 'account_id = $1';
const KEYS = '(SELECT id FROM api_key WHERE account_id = $1)';
const VOICES = '(SELECT id FROM voice WHERE account_id = $1)';
const OF_KEYS = `key_id IN ${KEYS}`;
const OF_VOICES = `voice_id IN ${VOICES}`;
const ITEMS = '(SELECT id FROM history_item WHERE account_id = $1)';
const RECORDINGS = `(
  SELECT audio_digest FROM preview WHERE account_id = $1 AND audio_digest IS NOT NULL
  UNION SELECT audio_digest FROM voice_sample WHERE voice_id IN ${VOICES}
  UNION SELECT audio_digest FROM history_piece WHERE history_item_id IN ${ITEMS})`;

/** In the order in which they are inserted, a table after those that its rows are found by; removed in the reverse. */
export const MOVED_TABLES: readonly MovedTable[] = [
  { name: 'account', rows: 'id = $1', clear: ['manager_id'] },
  { name: 'service_account', rows: OWN },
  { name: 'api_key', rows: OWN },
  { name: 'voice', rows: OWN },
  { name: 'history_item', rows: OWN },
  { name: 'preview', rows: OWN },
  { name: 'api_key_secret', rows: OF_KEYS },
  { name: 'api_key_use', rows: OF_KEYS, late: true },
  { name: 'allow_list_entry', rows: `key_id = $1 OR ${OF_KEYS}` },
  { name: 'key_undo', rows: `subject_id = $1 OR subject_id IN ${KEYS}` },
  { name: 'single_use_token', rows: OF_KEYS, late: true },
  { name: 'idle_key', rows: OF_KEYS, late: true },
  { name: 'key_policy', rows: OWN },
  { name: 'key_finding', rows: OWN, late: true },
  { name: 'key_finding_acceptance', rows: OF_KEYS },
  { name: 'key_safety_day', rows: OWN, late: true },
  { name: 'observed_traffic', rows: OF_KEYS, late: true },
  { name: 'key_last_refusal', rows: OF_KEYS, late: true },
  { name: 'credit_balance', rows: OWN, skip: ['number'], ahead: 'subject_id' },
  { name: 'credit_balance_history', rows: OWN },
  { name: 'prepaid_grant', rows: OWN },
  // Of budgets that were removed: others have their numbers in the other cell.
  { name: 'credit_hold', rows: OWN, clear: ['budgets', 'budget_windows'] },
  { name: 'voice_sample', rows: OF_VOICES },
  { name: 'history_piece', rows: `history_item_id IN ${ITEMS}` },
  { name: 'audio_object', rows: `digest IN ${RECORDINGS}`, shared: true },
  { name: 'recording_fingerprint', rows: `audio_digest IN ${RECORDINGS}`, shared: true },
  { name: 'recording_speaker', rows: `audio_digest IN ${RECORDINGS}`, shared: true },
  { name: 'no_go_recording', rows: OWN, shared: true },
  { name: 'screening_entry', rows: OWN, shared: true },
  { name: 'preview_preference', rows: OWN },
  { name: 'review', rows: OF_VOICES },
  { name: 'review_event', rows: OF_VOICES, skip: ['id'] },
  { name: 'review_hold', rows: OWN },
  {
    name: 'review_item',
    rows: OF_VOICES,
    clear: ['assigned_to', 'taken_by', 'taken_until', 'batch_id', 'batch_by'],
  },
  { name: 'review_appeal', rows: OF_VOICES },
  { name: 'listening', rows: OF_VOICES },
  { name: 'voice_comment', rows: OF_VOICES },
  { name: 'webhook_endpoint', rows: OWN, sealed: 'sealed_secret' },
  {
    name: 'webhook_delivery',
    rows: `state = 'pending' AND endpoint_id IN (SELECT id FROM webhook_endpoint WHERE ${OWN})`,
    skip: ['id'],
    late: true,
  },
  { name: 'contact', rows: OWN, sealed: 'sealed_url' },
  { name: 'alert_rule', rows: OWN },
  { name: 'alert', rows: OWN, skip: ['id'], late: true },
  { name: 'idempotent_request', rows: OWN },
];

/** Copied by numbers that each cell gives: see AccountCopy. */
export const LEDGER_TABLES = ['ledger_line', 'ledger_operation'];

/** What stays behind, and why. */
export const UNMOVED_TABLES: Readonly<Record<string, string>> = {
  account_move: 'says where the account is',
  moved_secret: 'says where the account is',
  alert_message: 'a log of what was sent',
  alert_message_alert: 'a log of what was sent',
  alert_kind: 'of the schema',
  allow_list_preset: 'of the cell',
  api_load: 'of the processes of the cell',
  api_process: 'of the processes of the cell',
  approval: 'requests of the staff of the cell; those that wait have to be requested again',
  audit_cursor: 'of the cell',
  audit_event: 'the chain does not cross; both cells record the move',
  audit_head: 'of the cell',
  audit_key: 'of the cell',
  backup_run: 'of the cell',
  budget: 'an account with budgets is not moved',
  budget_end_user: 'an account with budgets is not moved',
  bulk_key_change: 'may concern other accounts too; it cannot be undone for keys that have left',
  bulk_key_change_item: 'may concern other accounts too',
  free_space: 'of the machines of the cell',
  generation_slot: 'lives for a request',
  history_fingerprint: 'taken again by the workers of the other cell',
  key_finding_due: 'what is to be examined again',
  key_refusal: 'a log of refused requests, removed with the keys',
  key_request: 'a log of requests, removed with time',
  key_safety_pass: 'of the cell',
  leak_report: 'of the cell',
  ledger_archive: 'an account with archived months is not moved',
  ledger_closing: 'an account with archived months is not moved',
  measured_sample: 'of a review that runs; the other cell begins it again',
  migration: 'of the schema',
  no_go_match: 'found again when a voice is reviewed',
  outbox: 'jobs of the cell; the sweeper of the other one gives reviews a new job',
  queue_order: 'of the cell',
  queued_review: 'jobs of the cell',
  rate_window: 'lives for a minute or a day',
  recording_likeness: 'with recordings of other accounts of the cell',
  review_desk_visitor: 'of the staff of the cell',
  route_permission: 'of the release',
  saved_view: 'of the staff of the cell',
  schema_release: 'of the schema',
  screening_setting: 'of the cell',
  service_credential: 'of the cell',
  management_credential: 'of the cell',
  sql_definition: 'of the schema',
  timer_order: 'of the cell',
  timer_run: 'of the processes of the cell',
  usage_cursor: 'of the cell',
  webhook_attempt: 'a log of deliveries',
  worker_process: 'of the processes of the cell',
  worker_start: 'of the processes of the cell',
};
