import { API_KEY_ORDERS, type ApiKeyFilter } from '@app/database/keys/api-key-filter';
import { SECRET_PATTERN } from '@app/domain/keys/secret-text';
import { DISABLE_REASONS, type DisableReason } from '@app/domain/keys/disable-reasons';
import { FINDING_KINDS, type FindingKind } from '@app/domain/keys/key-findings';
import { FILTERED_FIELDS } from '@app/domain/keys/key-fields';
import { fromWire } from '@app/domain/keys/key-settings';
import { KEY_STATUSES, type KeyStatus } from '@app/domain/keys/key-status';
import { PERMISSIONS, type Permission } from '@app/domain/keys/permissions';
import { CheckedField, EnumField, StringField } from '../http/fields';
import {
  checkPercent,
  checkString,
  checkTime,
  type Check,
  withSchema,
} from '@app/domain/common/field-checks';
import { toTime } from '@app/domain/common/times';
import type { Staff } from '@app/domain/staff/staff';
import { REFUSING_GATES, type RefusingGate } from '@app/domain/traffic/traffic';
import { checkManager, checkTagFilter, toManagerId, toTags } from '../http/account-filters';
import { CursorField, LimitField, type PageQuery } from '../http/pagination';
import { sortNames } from '../http/sorted-list';
import { invalid } from '../http/wire-problem';
import { isUuid } from '@app/domain/common/uuid';
import { settingsBody } from './settings-body';
import { readSearchTerms } from '@app/domain/search/search-terms';

/** The last characters of a secret that staff see. */
const SHOWN_LENGTH = 4;

/** The id of an account or a key. */
export const checkId: Check = withSchema({ type: 'string', format: 'uuid' }, (value) =>
  typeof value === 'string' && isUuid(value)
    ? []
    : [{ type: 'uuid_parsing', msg: 'Input should be an id such as 8c1f1b1e-0b7a-4a63-9d0e-3f5c6a7b8c9d' }],
);

const LAST_FOUR = new RegExp(`^(grk_…)?[0-9A-Za-z]{${SHOWN_LENGTH}}$`);

/** Four characters, alone or as staff see them. */
const checkLastFour: Check = withSchema({ type: 'string', pattern: LAST_FOUR.source }, (value) => {
  const expected = 'the last four characters of a secret';
  return typeof value === 'string' && LAST_FOUR.test(value)
    ? []
    : [{ type: 'hint', msg: `Input should be ${expected}`, ctx: { expected } }];
});

const checkText = checkString({ max: 100 });
const checkSearch: Check = withSchema(checkText.schema!, (value) => {
  const malformed = checkText(value);
  if (malformed.length > 0 || !SECRET_PATTERN.test(String(value))) return malformed;
  // An address is written to logs on its way, so this secret is compromised.
  const msg =
    'Input should be a part of a name or an id. This is a whole secret: rotate the key, and search by its last four characters';
  return [{ type: 'secret_in_address', msg, input: null }];
});

/** Keys in one request: as many as fit into an address. */
const MAX_IDS = 100;

const checkIds: Check = withSchema({ type: 'string', maxLength: MAX_IDS * 37 }, (value) => {
  const ids = String(value).split(',');
  if (ids.length <= MAX_IDS && ids.every(isUuid)) return [];
  const expected = `1 to ${MAX_IDS} ids of keys with commas between them`;
  return [{ type: 'uuid_parsing', msg: `Input should be ${expected}`, ctx: { expected } }];
});

/** Filters of a list of keys; all must hold. */
export class ApiKeyFilterQuery extends settingsBody(Object, FILTERED_FIELDS, { inQuery: true }) {
  /** Ids with commas between them. */
  @CheckedField(checkIds, { optional: true })
  ids?: string;

  @CheckedField(checkId, { optional: true })
  account_id?: string;

  @StringField({ optional: true, max: 50 })
  service_account_id?: string;

  /** Id, part of the name, or the last four characters of a secret. */
  @CheckedField(checkSearch, { optional: true })
  search?: string;

  @CheckedField(checkLastFour, { optional: true })
  hint?: string;

  @EnumField(KEY_STATUSES, { optional: true })
  status?: KeyStatus;

  @EnumField(DISABLE_REASONS, { optional: true })
  disable_reason?: DisableReason;

  /** Keys that may do this, those that may do everything included. */
  @EnumField(PERMISSIONS, { optional: true })
  permission?: Permission;

  @EnumField(['true', 'false'], { optional: true })
  has_allow_list?: 'true' | 'false';

  @CheckedField(checkTime, { optional: true })
  used_since?: string;

  /** Not used since, or never. */
  @CheckedField(checkTime, { optional: true })
  unused_since?: string;

  @CheckedField(checkTime, { optional: true })
  expiring_before?: string;

  /** A request was refused since because its address is not on the allow-list. */
  @CheckedField(checkTime, { optional: true })
  list_refused_since?: string;

  /** A request was refused since, for any reason, or by `refused_by`. */
  @CheckedField(checkTime, { optional: true })
  refused_since?: string;

  /** A request was refused by this gate, such as `credits`, in the last 30 days, or since `refused_since`. */
  @EnumField(REFUSING_GATES, { optional: true })
  refused_by?: RefusingGate;

  /** Keys with an open finding of this kind. */
  @EnumField(FINDING_KINDS, { optional: true })
  finding?: FindingKind;

  /** Keys that have used at least this share of their own credits in this period, in percent. */
  @CheckedField(checkPercent, { optional: true })
  min_credits_percent?: string;

  /** Keys with all of these tags, with commas between them. */
  @CheckedField(checkTagFilter, { optional: true })
  tag?: string;

  /** The account manager of the account: an id, `me`, or `none` for accounts without one. */
  @CheckedField(checkManager, { optional: true })
  manager?: string;

  /** A part of the name or the e-mail address of a contact of the account. */
  @StringField({ optional: true, min: 1, max: 100 })
  contact?: string;
}

export class ApiKeyListQuery extends ApiKeyFilterQuery implements PageQuery {
  /** Rows on a page. */
  @LimitField()
  limit?: string;

  /** `next_cursor` of the page before. */
  @CursorField()
  cursor?: string;

  @EnumField(sortNames(API_KEY_ORDERS), { optional: true })
  sort: string = '-created_at';
}

export function toFilter(query: ApiKeyFilterQuery, staff: Staff): ApiKeyFilter {
  const requested = query.search?.trim() || undefined;
  return {
    ...(requested !== undefined && toSearch(requested)),
    ...fromWire(query),
    ids: query.ids?.split(','),
    accountId: query.account_id,
    serviceAccountId: query.service_account_id,
    tags: toTags(query.tag),
    withinCredential: staff.boundBy,
    managerId: toManagerId(query.manager, staff),
    contactPart: query.contact?.trim(),
    lastFour: query.hint?.slice(-SHOWN_LENGTH),
    status: query.status,
    disableReason: query.disable_reason,
    permission: query.permission,
    hasList: query.has_allow_list === undefined ? undefined : query.has_allow_list === 'true',
    usedSince: toTime(query.used_since),
    unusedSince: toTime(query.unused_since),
    expiringBefore: toTime(query.expiring_before),
    listRefusedSince: toTime(query.list_refused_since),
    refusedSince: toTime(query.refused_since),
    refusedBy: query.refused_by,
    finding: query.finding,
    creditShare:
      query.min_credits_percent === undefined ? undefined : Number(query.min_credits_percent) / 100,
  };
}

function toSearch(requested: string): Pick<ApiKeyFilter, 'id' | 'namePart' | 'orLastFour'> {
  if (isUuid(requested)) return { id: requested };
  const { lastFour } = readSearchTerms(requested);
  return { namePart: requested, orLastFour: lastFour ?? undefined };
}

/** The same for a change of everything that matches: it must say what that is. */
export function toNarrowFilter(query: ApiKeyFilterQuery, staff: Staff): ApiKeyFilter {
  const filter = toFilter(query, staff);
  const { withinCredential: _, ...conditions } = filter;
  if (Object.values(conditions).some((value) => value !== undefined)) return filter;
  const accepted = 'at least one condition, such as account_id or unused_since';
  const msg = `Input should have ${accepted}`;
  throw invalid('query', { type: 'missing', path: ['filter'], msg, input: null, ctx: { accepted } });
}
