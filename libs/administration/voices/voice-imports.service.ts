import { decodeAudio } from '@app/audio/codecs/decode-audio';
import { UndecodableAudioError } from '@app/audio/codecs/undecodable-audio.error';
import { AudioStore, type StagedAudio } from '@app/audio-store/audio-store';
import { VoiceAliasRepository } from '@app/database/voices/voice-alias.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { newVoiceId } from '@app/domain/common/cell';
import { isPublicId, newPublicId } from '@app/domain/common/public-id';
import { DomainError } from '@app/domain/errors';
import type { UpstreamAccount, UpstreamVoice } from '@app/voice-engine/upstream-account';
import { VoiceEngineError } from '@app/voice-engine/voice-engine.error';
import type { UpstreamSpec } from '@app/voice-engine/upstream.engine';
import { Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import { ReviewRequests } from '../reviews/review-requests';
import { VoiceAliasesService } from './voice-aliases.service';
import { VoiceSlots } from './voice-slots';

/** What becomes of a voice that exists upstream. */
export interface VoiceImport {
  upstreamId: string;
  name: string;
  outcome: 'new' | 'imported' | 'known' | 'refused';
  /** Its id here once it is imported; else why it is not. */
  detail: string;
}

export interface VoiceImportRequest {
  accountId: string;
  actor: AuditActor;
  reason: string;
  /** False only says what would be done. */
  apply: boolean;
}

/**
 * Takes voices that exist upstream into an account. Each has an id and a review of its own here, the upstream's id as an
 * alias, so that programs that name it still find it, and the recording that the upstream plays it with.
 */
@Injectable()
export class VoiceImportsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly voices: VoiceRepository,
    private readonly aliases: VoiceAliasRepository,
    private readonly aliasing: VoiceAliasesService,
    private readonly audio: AudioStore,
    private readonly reviews: ReviewRequests,
    private readonly slots: VoiceSlots,
  ) {}

  /**
   * Imports each voice by itself; one that was imported before, or whose id is an alias in the account, is known. The same
   * again continues where it stopped.
   *
   * @throws VoiceEngineError when the upstream does not list its voices
   */
  async *import(upstream: UpstreamAccount, request: VoiceImportRequest): AsyncGenerator<VoiceImport> {
    const known = await this.knownIds(request.accountId);
    for await (const voice of upstream.listVoices()) {
      const { voiceId: upstreamId, name } = voice;
      yield { upstreamId, name, ...(await this.importOne(upstream, voice, known, request)) };
    }
  }

  private async importOne(
    upstream: UpstreamAccount,
    voice: UpstreamVoice,
    known: ReadonlySet<string>,
    request: VoiceImportRequest,
  ): Promise<Pick<VoiceImport, 'outcome' | 'detail'>> {
    if (known.has(voice.voiceId)) return { outcome: 'known', detail: 'the account has it already' };
    if (!isPublicId(voice.voiceId))
      return { outcome: 'refused', detail: 'its id is not 20 letters and digits, as an alias has to be' };
    try {
      const bytes = await upstream.readRecording(voice);
      const { samples, sampleRate } = await decodeAudio(bytes);
      if (!request.apply) return { outcome: 'new', detail: 'it would be imported' };
      const staged = await this.audio.stage(bytes, 'audio/mpeg');
      return {
        outcome: 'imported',
        detail: await this.insert(voice, { staged, durationSecs: samples.length / sampleRate }, request),
      };
    } catch (error) {
      if (
        error instanceof DomainError ||
        error instanceof VoiceEngineError ||
        error instanceof UndecodableAudioError
      )
        return { outcome: 'refused', detail: error.message };
      throw error;
    }
  }

  /** The id of the voice here. */
  private async insert(
    { voiceId: upstreamId, name, description, labels }: UpstreamVoice,
    { staged, durationSecs }: { staged: StagedAudio; durationSecs: number },
    { accountId, actor, reason }: VoiceImportRequest,
  ): Promise<string> {
    const id = newVoiceId(accountId, randomBytes);
    const requestId = randomBytes(16).toString('hex');
    const spec: UpstreamSpec = { engine: 'elevenlabs', generatedVoiceId: null, voiceId: upstreamId };
    await this.changes.make(async (em) => {
      const { digest: audioDigest, mediaType, sizeBytes } = await this.audio.keep(staged, em);
      const contentDigest = createHash('sha256').update(`upstream ${upstreamId}`).digest('hex');
      await this.voices.insert(
        {
          id,
          accountId,
          name,
          description,
          labels,
          previewId: null,
          engine: spec.engine,
          spec,
          language: 'en',
          contentDigest,
          requestId,
        },
        [
          {
            id: newPublicId(randomBytes),
            fileName: `${id}.mp3`,
            mediaType,
            sizeBytes,
            audioDigest,
            durationSecs,
          },
        ],
        em,
      );
      await this.reviews.first(id, requestId, em);
      const change = this.aliasing.setting({ actor, reason, expected: 'any', voiceId: id }, [upstreamId]);
      const aliased = await change(em);
      await this.slots.take(accountId, em);
      return aliased;
    });
    return id;
  }

  private async knownIds(accountId: string): Promise<Set<string>> {
    const voices = await this.aliases.list(accountId, []);
    return new Set(voices.flatMap(({ aliases }) => aliases));
  }
}
