import { api, likePath, type Schema } from '../api/client';

export type Contact = Schema['ContactResponse'];
export type Rule = Schema['AlertRuleResponse'];

/** Whose contacts and rules: an account's, or with null those of the installation. */
export type Owner = string | null;

const CONTACTS = '/admin/contacts';
const CONTACTS_OF_ACCOUNT = likePath(CONTACTS, '/admin/accounts/{account_id}/contacts');

/** Where the contacts of an owner are, and their parameters. */
export const contactsOf = (owner: Owner) =>
  [owner === null ? CONTACTS : CONTACTS_OF_ACCOUNT, { account_id: owner }] as const;

export const listContacts = (owner: Owner) => api.GET(...contactsOf(owner));

export const RULES = '/admin/alert-rules';
export const RULES_OF_ACCOUNT = '/admin/accounts/{account_id}/alert-rules';

export async function listRules(owner: Owner): Promise<{ items: Rule[] }> {
  if (owner === null) return api.GET(RULES);
  return api.GET(RULES_OF_ACCOUNT, owner);
}
