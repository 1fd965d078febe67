import { listContacts, listRules } from '../alerts/alert-calls';
import { unheardRules } from './alert-readiness';
import type { Attention } from './waiting';

export async function findUnheard(): Promise<Attention[]> {
  const [rules, contacts] = await Promise.all([listRules(null), listContacts(null)]);
  return unheardRules(rules.items, contacts);
}
