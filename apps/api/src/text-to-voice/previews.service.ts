import { AudioStore } from '@app/audio-store/audio-store';
import { AppConfig } from '@app/config/app-config';
import type { Preview } from '@app/database/voices/preview.entity';
import { PreviewRepository, type AgedPreview } from '@app/database/voices/preview.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { VoiceSafetyRepository } from '@app/database/voices/voice-safety.repository';
import { DomainError } from '@app/domain/errors';
import { isPublicId } from '@app/domain/common/public-id';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import type { Recording } from '../http/audio-response';
import { storedRecording } from '../http/stored-recording';
import { syntheticMark } from '../http/synthetic-mark';
import { PreviewStore } from './preview-store';
import { requireReleased } from '../voices/voices.service';

/** How long a stream waits for a preview that is still being spoken, and how often it looks for one spoken elsewhere. */
const WAIT_MS = 20_000;
const CHECK_EVERY_MS = 50;
/** As many as a list has at most: more than a client loses the responses of. */
const MAX_LISTED = 100;

@Injectable()
export class PreviewsService {
  constructor(
    private readonly previews: PreviewRepository,
    private readonly store: PreviewStore,
    private readonly audio: AudioStore,
    private readonly voices: VoiceRepository,
    private readonly safety: VoiceSafetyRepository,
    private readonly config: AppConfig,
  ) {}

  /**
   * The audio of a live preview of the caller's account. Waits for one that is still being spoken, whichever process
   * speaks it: what it looks at is the database.
   */
  async getAudio(caller: Caller, generatedVoiceId: string): Promise<Recording> {
    const preview = await this.waitUntilSpoken(generatedVoiceId, caller);
    const voice = preview?.voiceId ? await this.voices.find(preview.voiceId) : null;
    // The voice sounds like its preview: what staff have decided against the one is true of the other.
    if (voice) requireReleased(voice);
    const origin = preview && (await this.safety.findUnreleased(preview.originVoiceIds));
    if (origin) requireReleased(origin);
    if (!preview?.audioDigest) throw previewNotFound(generatedVoiceId);
    const { audioDigest, createdAt } = preview;
    const { mediaType, sizeBytes } = await this.audio.describe(audioDigest);
    const mark = syntheticMark(this.config, generatedVoiceId, createdAt);
    const stored = { digest: audioDigest, mediaType, sizeBytes, storedAt: createdAt, mark };
    return storedRecording(this.audio, stored, () => previewNotFound(generatedVoiceId));
  }

  /** The newest previews that the caller's key has paid for: also those whose response the client never received. */
  async list({ key }: Caller): Promise<AgedPreview[]> {
    return this.previews.list(key.accountId, null, MAX_LISTED, key.keyId);
  }

  /** @throws the caller's reason when it has gone: nothing looks for a preview without a client */
  private async waitUntilSpoken(id: string, { key, signal }: Caller): Promise<Preview | null> {
    if (!isPublicId(id)) return null;
    const deadline = Date.now() + WAIT_MS;
    while (Date.now() < deadline) {
      const preview = await this.previews.findOwned(id, key.accountId);
      if (!preview || preview.audioDigest !== null) return preview;
      if (preview.failedAt) throw new DomainError('preview_failed', { generatedVoiceId: id });
      await this.store.waitForAudio(id, CHECK_EVERY_MS);
      signal.throwIfAborted();
    }
    throw new DomainError('service_unavailable', {}, { retryAfterSecs: 5 });
  }
}

function previewNotFound(generatedVoiceId: string): DomainError {
  return new DomainError('preview_not_found', { generatedVoiceId }, { param: 'generated_voice_id' });
}
