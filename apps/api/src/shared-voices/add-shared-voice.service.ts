import { SharedVoiceRepository } from '@app/database/voices/shared-voice.repository';
import type { Caller } from '@app/domain/keys/caller';
import { contentDigest } from '@app/domain/voices/content-digest';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ScreeningService } from '../screening/screening.service';
import { VoiceCopiesService } from '../voices/voice-copies.service';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { VoicesService } from '../voices/voices.service';

/** Copies shared voices into accounts. A copy stays when the voice is no longer shared, and is taken down with it. */
@Injectable()
export class AddSharedVoiceService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly voices: VoicesService,
    private readonly shared: SharedVoiceRepository,
    private readonly screening: ScreeningService,
    private readonly copies: VoiceCopiesService,
  ) {}

  /**
   * The id of the account's copy of a shared voice, which it has already or gets now, under its own name.
   *
   * @throws DomainError `voice_not_found`, `voice_held`, `voice_limit_reached`, what screening refuses
   */
  async add(caller: Caller, voiceId: string, name: string): Promise<string> {
    const voice = await this.voices.getUsable(caller, voiceId);
    const { accountId } = caller.key;
    if (voice.accountId === accountId) return voice.id;
    const refusal = await this.screening.findRefusal(caller, { name, description: voice.description });
    if (refusal) throw refusal;
    return this.dataSource.transaction(async (em) => {
      // Of many at once, one copies.
      const locked = await this.shared.lock(voiceId, em);
      if (locked?.sharedAt == null) throw voiceNotFound(voiceId);
      const digest = contentDigest({ name: '', description: '', labels: {} }, [voice.id]);
      const known = await this.shared.findCopy(digest, accountId, em);
      if (known) return known.id;
      return this.copies.copy(caller, voice, { name, contentDigest: digest }, em);
    });
  }
}
