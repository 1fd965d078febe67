import { api, likePath, type Schema } from '../api/client';
import { alertKind, type AlertKind, type ContactCategory } from '@app/domain/alerts/alert-kinds';
import type { AlertChannel } from '@app/domain/alerts/alert-rule';
import { formatNumber } from '../components/number';

export type Contact = Schema['ContactResponse'];

/** Whose contacts and rules: an account's, or with null those of the installation. */
export type Owner = string | null;

const CONTACTS = '/admin/contacts';
const CONTACTS_OF_ACCOUNT = likePath(CONTACTS, '/admin/accounts/{account_id}/contacts');

export const contactsKey = (owner: Owner) => ['contacts', owner];

const all = (owner: Owner) =>
  [owner === null ? CONTACTS : CONTACTS_OF_ACCOUNT, { account_id: owner }] as const;

const one = ({ account_id, id: contact_id }: Contact) =>
  [`${all(account_id)[0]}/{contact_id}`, { account_id, contact_id }] as const;

export const listContacts = (owner: Owner) => api.GET(...all(owner));

export const addContact = (owner: Owner, body: Schema['CreateContactBody']) => api.POST(...all(owner), body);

export const editContact = (contact: Contact, body: Schema['EditContactBody']) =>
  api.PATCH(...one(contact), body, contact);

export const removeContact = (contact: Contact, reason: string) =>
  api.DELETE(...one(contact), { reason }, contact);

export function testContact(contact: Contact, reason: string) {
  const [at, params] = one(contact);
  return api.POST(`${at}/test`, params, { reason });
}

export const CATEGORY_NAMES: Record<ContactCategory, string> = {
  credits: 'Credits: used up, running out, unusual use',
  keys: 'Keys: expiring, rotated, not used',
  security: 'Security: leaks, refusals, new networks',
  operations: 'Operations: waiting reviews, dead letters, failing receivers',
};

export const CHANNEL_NAMES: Record<AlertChannel, string> = {
  webhook: 'Webhooks of the account',
  email: 'E-mail',
  chat: 'Chat hooks',
};

export const ruleName = ({ kind, threshold }: { kind: AlertKind; threshold: number | null }): string =>
  `${alertKind(kind).name} ${thresholdText(kind, threshold)}`;

export function thresholdText(kind: AlertKind, threshold: number | null): string {
  const accepted = alertKind(kind).threshold;
  if (accepted === null || threshold === null) return 'each time';
  const amount = formatNumber(threshold);
  const unit = threshold === 1 ? accepted.unit.replace(/s$/, '') : accepted.unit;
  if (accepted.unit === 'percent') return `at ${amount} %`;
  if (accepted.unit === 'times') return `${amount} times the usual`;
  return accepted.when === 'within' ? `within ${amount} ${unit}` : `from ${amount} ${unit}`;
}

export type Rule = Schema['AlertRuleResponse'];

const RULES = '/admin/alert-rules';
const RULES_OF_ACCOUNT = '/admin/accounts/{account_id}/alert-rules';
const RULE = `${RULES}/{rule_id}` as const;
const RULE_OF_ACCOUNT = likePath(RULE, `${RULES_OF_ACCOUNT}/{rule_id}`);

export const rulesKey = (owner: Owner) => ['alert-rules', owner];

export async function listRules(owner: Owner): Promise<{ items: Rule[] }> {
  if (owner === null) return api.GET(RULES);
  return api.GET(RULES_OF_ACCOUNT, owner);
}

/** For the tier or the key that the body names, else for all of the owner's. */
export async function addRule(
  owner: Owner,
  { tier, key_id, ...body }: Schema['CreateAlertRuleBody'] & Schema['CreateAccountAlertRuleBody'],
): Promise<Rule> {
  if (owner === null) return api.POST(RULES, {}, { ...body, tier });
  return api.POST(RULES_OF_ACCOUNT, owner, { ...body, key_id });
}

const oneRule = ({ account_id, id: rule_id }: Rule) =>
  [account_id === null ? RULE : RULE_OF_ACCOUNT, { account_id, rule_id }] as const;

export const editRule = (rule: Rule, body: Schema['EditAlertRuleBody']) =>
  api.PATCH(...oneRule(rule), body, rule);

export const removeRule = (rule: Rule, reason: string) => api.DELETE(...oneRule(rule), { reason }, rule);
