import { api, likePath, type Schema } from '../api/client';
import type { Owner } from './contact-calls';

export type Rule = Schema['AlertRuleResponse'];

const OF_INSTALLATION = '/admin/alert-rules';
const OF_ACCOUNT = '/admin/accounts/{account_id}/alert-rules';
const ONE = `${OF_INSTALLATION}/{rule_id}` as const;
const ONE_OF_ACCOUNT = likePath(ONE, `${OF_ACCOUNT}/{rule_id}`);

export const rulesKey = (owner: Owner) => ['alert-rules', owner];

export async function listRules(owner: Owner): Promise<{ items: Rule[] }> {
  if (owner === null) return api.GET(OF_INSTALLATION);
  return api.GET(OF_ACCOUNT, owner);
}

/** For the tier or the key that the body names, else for all of the owner's. */
export async function addRule(
  owner: Owner,
  { tier, key_id, ...body }: Schema['CreateAlertRuleBody'] & Schema['CreateAccountAlertRuleBody'],
): Promise<Rule> {
  if (owner === null) return api.POST(OF_INSTALLATION, {}, { ...body, tier });
  return api.POST(OF_ACCOUNT, owner, { ...body, key_id });
}

const one = (rule: Rule) => {
  const { account_id, id: rule_id } = rule;
  const params = { account_id, rule_id };
  return [account_id === null ? ONE : ONE_OF_ACCOUNT, params] as const;
};

export async function editRule(rule: Rule, body: Schema['EditAlertRuleBody']): Promise<Rule> {
  const [at, params] = one(rule);
  return api.PATCH(at, params, body, rule);
}

export async function removeRule(rule: Rule, reason: string): Promise<unknown> {
  const [at, params] = one(rule);
  return api.DELETE(at, params, { reason }, rule);
}
