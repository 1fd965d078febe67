import { withSchema, type Check } from '@app/domain/common/field-checks';
import { canonicalList, checkTags } from '@app/domain/common/tags';
import { isUuid } from '@app/domain/common/uuid';
import type { Staff } from '@app/domain/staff/staff';

/** The account manager of a filter: an id, `me`, or `none`. */
export const checkManager: Check = withSchema({ type: 'string' }, (value) =>
  value === 'me' || value === 'none' || (typeof value === 'string' && isUuid(value))
    ? []
    : [{ type: 'manager', msg: "Input should be the id of a member of staff, 'me' or 'none'" }],
);

/** The id that a filter names; null for accounts without a manager. */
export function toManagerId(manager: string | undefined, { id }: Staff): string | null | undefined {
  return manager === 'none' ? null : manager === 'me' ? id : manager;
}

/** Tags with commas between them. */
export const checkTagFilter: Check = withSchema({ type: 'string', maxLength: 1_000 }, (value) =>
  checkTags(typeof value === 'string' ? value.split(',') : value).map(({ path: _, ...finding }) => finding),
);

export function toTags(text: string | undefined): string[] | undefined {
  return text === undefined ? undefined : canonicalList(text.split(','));
}
