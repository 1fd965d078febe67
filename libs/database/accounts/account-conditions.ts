import { caselessPattern } from '../common/caseless';
import type { Conditions } from '../common/conditions';

/** The condition that a column of tags has all of these. Its index knows no rows without a tag. */
export function hasTags(column: string, tags: string): string {
  return `${column} @> ${tags}::text[] AND ${column} <> '{}'`;
}

/** The condition that a member of staff looks after an account; with null, that no one does. */
export function managedBy(account: string, managerId: string | null, where: Conditions): string {
  return managerId === null
    ? `${account}.manager_id IS NULL`
    : `${account}.manager_id = ${where.value(managerId)}`;
}

/** Whether an account is within the bounds of a management credential; `credential` is a value with its id. */
export function withinBounds(account: string, credential: string): string {
  return `EXISTS (SELECT 1 FROM management_credential c WHERE c.id = ${credential} AND CASE c.accounts
    WHEN 'all' THEN true
    WHEN 'listed' THEN ${account}.id = ANY (c.account_ids)
    WHEN 'tagged' THEN c.tag = ANY (${account}.tags)
    WHEN 'created' THEN EXISTS (SELECT 1 FROM audit_event e WHERE e.target_id = ${account}.id::text
      AND e.actor_id = c.id::text AND e.actor_kind = 'management' AND e.action = 'account.created')
    ELSE false END)`;
}

/** Whether a change of many keys has changed keys, and only those of accounts within the bounds of a management credential. */
export function hasKeysWithinBounds(change: string, credential: string): string {
  return `(SELECT bool_and(${withinBounds('a', credential)}) FROM bulk_key_change_item i JOIN api_key k ON k.id = i.key_id
    JOIN account a ON a.id = k.account_id WHERE i.change_id = ${change}.id)`;
}

/** Ids of the accounts that have a contact with this text in its name or e-mail address. */
export function accountsWithContact(part: string, where: Conditions): string {
  const pattern = where.value(caselessPattern(part));
  return `SELECT c.account_id FROM contact c WHERE c.account_id IS NOT NULL AND (plain_text(c.name) ~ ${pattern} OR plain_text(c.email) ~ ${pattern})`;
}
