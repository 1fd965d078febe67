import { AccountRepository } from '@app/database/accounts/account.repository';
import { VoiceAliasRepository } from '@app/database/voices/voice-alias.repository';
import type { Voice } from '@app/database/voices/voice.entity';
import { isPublicId } from '@app/domain/common/public-id';
import { DomainError } from '@app/domain/errors';
import { canonicalList } from '@app/domain/common/tags';
import { curationVersion } from '@app/domain/voices/voice-curation';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditedChanges, type ChangeWork } from '../audit/audited-changes';
import { changing, type ChangeRequest } from '../audit/locked-change';

/** `expected`: of what staff decide about the voice, see `curationVersion`. */
export interface VoiceTarget extends ChangeRequest {
  voiceId: string;
}

/** Ids under which programs of an account find one of its voices, because they have them built in. */
@Injectable()
export class VoiceAliasesService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly accounts: AccountRepository,
    private readonly aliases: VoiceAliasRepository,
  ) {}

  /**
   * Gives a voice these aliases in place of those it has. No change when it has them already.
   *
   * @throws DomainError `voice_not_found`, `voice_alias_taken`
   */
  async set(target: VoiceTarget, input: readonly string[]): Promise<void> {
    await this.changes.make(this.setting(target, input));
  }

  /** The same as part of a transaction. */
  setting({ voiceId, ...request }: VoiceTarget, input: readonly string[]): ChangeWork {
    const aliases = canonicalList(input);
    const lock = async (em: EntityManager) => {
      const voice = isPublicId(voiceId) ? await this.aliases.lock(voiceId, em) : null;
      if (!voice) throw voiceNotFound(voiceId);
      return {
        resource: voice,
        version: curationVersion(voice),
        auditTarget: { type: 'voice', id: voiceId, accountId: voice.accountId },
        save: (patch: string[]) => this.aliases.save(voiceId, patch, em),
      };
    };
    return changing(request, lock, async (voice, em) => {
      if (voice.aliases.join() === aliases.join()) return null;
      await this.requireFree(voice, aliases, em);
      const [before, after] = [{ aliases: voice.aliases }, { aliases }];
      return { action: 'voice.aliased', before, after, patch: aliases };
    });
  }

  /** Of two changes of an account, one waits for the other. */
  private async requireFree(voice: Voice, aliases: string[], em: EntityManager): Promise<void> {
    await this.accounts.lockIfExists(voice.accountId, em);
    const taken = await this.aliases.findTaken(voice, aliases, em);
    if (!taken) return;
    const { alias, voiceId } = taken;
    const use = alias === voiceId ? 'the id of a voice' : `an alias of the voice '${voiceId}'`;
    throw new DomainError('voice_alias_taken', { alias, use }, { param: 'aliases' });
  }
}
