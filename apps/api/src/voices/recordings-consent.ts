import { AccountRepository } from '@app/database/accounts/account.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '@app/domain/keys/caller';

/** Whether an account may upload recordings: only once staff have noted the consent of those who speak in them. */
@Injectable()
export class RecordingsConsent {
  constructor(private readonly accounts: AccountRepository) {}

  /** @throws DomainError `recordings_consent_missing` */
  async require({ key }: Caller, em?: EntityManager): Promise<void> {
    const account = await this.accounts.find(key.accountId, em);
    if (!account?.recordingsConsentedAt) throw new DomainError('recordings_consent_missing');
  }
}
