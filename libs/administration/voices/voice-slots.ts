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
   * Checks that there was a slot for the voice that this transaction has added. The account is locked until its end: make it
   * the last step, so that other creates do not wait for more than this.
   *
   * @throws DomainError `voice_limit_reached`
   */
  async take(accountId: string, em: EntityManager): Promise<void> {
    const account = await this.accounts.lockIfExists(accountId, em);
    const used = (await this.voices.countSlots(accountId, em)) - 1;
    const limit = account?.voiceLimit ?? 0;
    if (used >= limit) throw new DomainError('voice_limit_reached', { used, limit });
  }
}
