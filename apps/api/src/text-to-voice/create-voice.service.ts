import type { Preview } from '@app/database/voices/preview.entity';
import type { Voice } from '@app/database/voices/voice.entity';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { OutboxRepository } from '@app/queue/outbox.repository';
import { PreviewRepository } from '@app/database/voices/preview.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { DomainError } from '@app/domain/errors';
import { isPublicId, newPublicId } from '@app/domain/common/public-id';
import { AudioStore } from '@app/audio-store/audio-store';
import { Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { Caller } from '@app/domain/keys/caller';
import { ValidationProblem } from '../http/wire-problem';
import type { CreateVoiceBody } from './create-voice.dto';

@Injectable()
export class CreateVoiceService {
  constructor(
    private readonly previews: PreviewRepository,
    private readonly voices: VoiceRepository,
    private readonly accounts: AccountRepository,
    private readonly outbox: OutboxRepository,
    private readonly audio: AudioStore,
  ) {}

  /**
   * Turns a preview into a voice and enqueues its review, in the caller's transaction. The same request again gives the same
   * voice; other content for a used preview is a conflict.
   */
  async create(caller: Caller, body: CreateVoiceBody, em: EntityManager): Promise<Voice> {
    const previewId = body.generated_voice_id;
    if (!isPublicId(previewId)) throw previewNotFound(previewId);
    const preview = await this.previews.lockOwned(previewId, caller.key.accountId, em);
    if (!preview) throw previewNotFound(previewId);
    const existing = await this.voices.findByPreview(previewId, em);
    if (existing) return sameVoice(existing, body);
    if (!(await this.previews.findOwned(previewId, caller.key.accountId, em)))
      throw previewNotFound(previewId);
    return this.insert(caller, body, preview, em);
  }

  private async insert(
    caller: Caller,
    body: CreateVoiceBody,
    preview: Preview,
    em: EntityManager,
  ): Promise<Voice> {
    const audioDigest = spokenAudio(preview);
    const rejectedIds = await this.checkRejected(caller, body, em);
    await this.takeSlot(caller.key.accountId, em);
    const voiceId = newPublicId(randomBytes);
    const stored = await this.audio.describe(audioDigest, em);
    await this.voices.insert(
      {
        id: voiceId,
        accountId: caller.key.accountId,
        name: body.voice_name,
        description: body.voice_description,
        labels: body.labels ?? {},
        previewId: preview.id,
        engine: preview.engine,
        spec: preview.spec,
        understood: preview.understood,
        language: preview.language,
        contentDigest: contentDigest(body),
        requestId: caller.requestId,
      },
      {
        id: newPublicId(randomBytes),
        fileName: `${voiceId}.mp3`,
        mediaType: stored.mediaType,
        sizeBytes: stored.sizeBytes,
        audioDigest: stored.digest,
        durationSecs: preview.durationSecs,
      },
      em,
    );
    await this.voices.insertPreferences({ id: voiceId, previewId: preview.id }, rejectedIds, em);
    const payload = { voiceId, generation: 1, requestId: caller.requestId };
    await this.outbox.enqueue('review-voice', payload, voiceId, em);
    return this.voices.getOwned(voiceId, caller.key.accountId, em);
  }

  /** Previews that were played and not chosen must be the account's own. */
  private async checkRejected(caller: Caller, body: CreateVoiceBody, em: EntityManager): Promise<string[]> {
    const given = [...new Set(body.played_not_selected_voice_ids ?? [])];
    if (given.length === 0) return [];
    const owned = new Set(await this.previews.listOwnedIds(given, caller.key.accountId, em));
    const unknown = (body.played_not_selected_voice_ids ?? []).flatMap((id, index) =>
      owned.has(id)
        ? []
        : [
            {
              type: 'value_error',
              loc: ['body', 'played_not_selected_voice_ids', index],
              msg: 'Value error, no preview with this generated_voice_id was found',
              input: id,
            },
          ],
    );
    if (unknown.length > 0) throw new ValidationProblem(unknown);
    return given.filter((id) => id !== body.generated_voice_id);
  }

  private async takeSlot(accountId: string, em: EntityManager): Promise<void> {
    const account = await this.accounts.lock(accountId, em);
    const used = await this.voices.countSlots(accountId, em);
    const limit = account?.voiceLimit ?? 0;
    if (used >= limit) throw new DomainError('voice_limit_reached', { used, limit });
  }
}

function spokenAudio({ id, audioDigest, failedAt }: Preview): string {
  if (audioDigest !== null) return audioDigest;
  const code = failedAt ? 'preview_failed' : 'preview_not_ready';
  throw new DomainError(code, { generatedVoiceId: id }, { param: 'generated_voice_id' });
}

function sameVoice(voice: Voice, body: CreateVoiceBody): Voice {
  if (voice.contentDigest === contentDigest(body)) return voice;
  throw new DomainError(
    'preview_already_used',
    { generatedVoiceId: body.generated_voice_id, voiceId: voice.id },
    { param: 'generated_voice_id' },
  );
}

function previewNotFound(generatedVoiceId: string): DomainError {
  return new DomainError('preview_not_found', { generatedVoiceId }, { param: 'generated_voice_id' });
}

/** SHA-256 over the content of the request, whatever the order of labels and ids. */
function contentDigest(body: CreateVoiceBody): string {
  const labels = Object.entries(body.labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const rejected = [...new Set(body.played_not_selected_voice_ids ?? [])].sort();
  const content = [body.voice_name, body.voice_description, labels, rejected];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
