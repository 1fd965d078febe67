import { DEFAULT_LIMITS, inspectHeader, type InspectedAudio } from '@app/audio/codecs/decode-audio';
import { UndecodableAudioError } from '@app/audio/codecs/undecodable-audio.error';
import { AudioThreads, type AudioSource } from '@app/audio/threads/audio-threads';
import {
  AudioTaskCrashedError,
  AudioTaskStarvedError,
  AudioTaskTimeoutError,
  AudioThreadBrokenError,
} from '@app/audio/threads/audio-threads.error';
import { Ffmpeg } from '@app/audio/threads/ffmpeg';
import { notAClip } from '@app/administration/voices/spoken-clips.service';
import type { FingerprintedAudio } from '@app/audio/threads/measure-task';
import { CLIP } from '@app/audio/fingerprints/find-clip';
import { AppConfig } from '@app/config/app-config';
import { SlotsByOwner, WaitedTooLongError } from '@app/domain/common/slots';
import { DomainError } from '@app/domain/errors';
import type { Caller } from '@app/domain/keys/caller';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationShutdown } from '@nestjs/common';

const THREADS = 2;
/** Of an account, so that a thread is free for the next account. */
const FORMS_AT_A_TIME = THREADS - 1;
/** A form that would wait longer for those of its account, or a file for those of other accounts, is refused. */
const FORM_WAIT_MS = 60_000;
const FILE_WAIT_MS = 20_000;
/** How long inspections may continue when the process has to stop. */
const SHUTDOWN_MS = 5_000;

/** Decodes one file of a form. */
export type Inspect = (read: AudioSource['read']) => Promise<InspectedAudio>;

/** Decodes uploaded recordings in threads, in turns by account: what is not audio is refused before a voice has it. */
@Injectable()
export class RecordingInspector implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly threads: AudioThreads;
  private readonly turns = new SlotsByOwner(FORMS_AT_A_TIME, FORM_WAIT_MS);
  private readonly stop = new AbortController();
  private readonly ffmpeg: Ffmpeg | null;

  constructor({ ffmpegPath }: AppConfig) {
    this.ffmpeg = ffmpegPath === undefined ? null : new Ffmpeg(ffmpegPath);
    const { ffmpeg } = this;
    this.threads = new AudioThreads({ threads: THREADS, idleThreads: 0, waitMs: FILE_WAIT_MS, ffmpeg });
  }

  beforeApplicationShutdown(): void {
    setTimeout(() => this.stop.abort(new DomainError('service_unavailable')), SHUTDOWN_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }

  /**
   * A first look at a file, without a turn.
   *
   * @throws UndecodableAudioError when `inspect` would, as far as the header says
   */
  readHeader(bytes: Uint8Array): ReturnType<typeof inspectHeader> {
    return inspectHeader(bytes, DEFAULT_LIMITS, this.ffmpeg !== null);
  }

  /**
   * Inspects the files of a form when its account has its turn, one after the other. Ends with the caller.
   *
   * @param work receives what inspects a file, whose bytes are read when a thread is free; it throws UndecodableAudioError
   * @throws DomainError `system_busy` when the turn would come too late, `client_gone`, `service_unavailable` when the process stops
   */
  async takeTurn<T>({ key, signal }: Caller, work: (inspect: Inspect) => Promise<T>): Promise<T> {
    const either = AbortSignal.any([signal, this.stop.signal]);
    return this.inTurn(key.accountId, either, () =>
      work((read) => this.decode(this.threads.inspect(read, either))),
    );
  }

  /**
   * How a clip sounds that a member of staff looks for. Each has one at a time.
   *
   * @throws InvalidInput when it cannot be decoded; DomainError as `takeTurn`
   */
  async takeClip(memberId: string, bytes: Uint8Array, signal: AbortSignal): Promise<FingerprintedAudio> {
    const either = AbortSignal.any([signal, this.stop.signal]);
    try {
      return await this.inTurn(memberId, either, () =>
        this.decode(this.threads.fingerprint(bytes, CLIP, either)),
      );
    } catch (error) {
      throw error instanceof UndecodableAudioError ? notAClip('a recording', error.found) : error;
    }
  }

  private async inTurn<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await this.turns.run(owner, work, signal);
    } catch (error) {
      if (!(error instanceof WaitedTooLongError)) throw error;
      const { retryAfterSecs } = error;
      throw new DomainError('system_busy', {}, { cause: error, retryAfterSecs });
    }
  }

  private async decode<T>(task: Promise<T>): Promise<T> {
    try {
      return await task;
    } catch (error) {
      if (error instanceof AudioTaskTimeoutError || error instanceof AudioTaskCrashedError)
        throw new UndecodableAudioError('a file that cannot be decoded with reasonable effort', {
          cause: error,
        });
      if (error instanceof AudioThreadBrokenError || error instanceof AudioTaskStarvedError)
        throw new DomainError('service_unavailable', {}, { cause: error });
      throw error;
    }
  }
}
