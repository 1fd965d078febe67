import type { AccountRepository } from '@app/database/accounts/account.repository';
import { DomainError } from '@app/domain/errors';
import type { EntityManager } from 'typeorm';

/**
 * Locks the account whose contacts or rules are added to, so that they can be counted; nothing for the installation.
 *
 * @throws DomainError for an unknown or a closed account
 */
export async function lockOwner(
  accounts: AccountRepository,
  accountId: string | null,
  em: EntityManager,
): Promise<void> {
  if (accountId === null) return;
  const account = await accounts.lock(accountId, em);
  if (account.status === 'closed') throw new DomainError('account_closed');
}
