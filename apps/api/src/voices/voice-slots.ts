import { AccountRepository } from '@app/database/accounts/account.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** How many voices an account may have. */
@Injectable()
export class VoiceSlots {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly voices: VoiceRepository,
  ) {}

  /**
   * Locks the account for a voice that this transaction adds.
   *
   * @throws DomainError `voice_limit_reached`
   */
  async take(accountId: string, em: EntityManager): Promise<void> {
    const account = await this.accounts.lock(accountId, em);
    const used = await this.voices.countSlots(accountId, em);
    const limit = account?.voiceLimit ?? 0;
    if (used >= limit) throw new DomainError('voice_limit_reached', { used, limit });
  }
}
