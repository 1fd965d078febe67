import { AudioStore } from '@app/audio-store/audio-store';
import { mediaTypeOf } from '@app/audio/codecs/container';
import { inspectHeader } from '@app/audio/codecs/decode-audio';
import { UndecodableAudioError } from '@app/audio/codecs/undecodable-audio.error';
import type { NewSample } from '@app/database/voices/voice.repository';
import { newPublicId } from '@app/domain/common/public-id';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { Upload, UploadedFile } from '../http/upload';
import { RecordingInspector } from './recording-inspector';

/** A voice has no more recordings. */
export const MAX_RECORDINGS = 25;

/** A form whose recordings are stored and inspected, and that no voice has yet. */
export interface ReceivedRecordings<T> {
  fields: T;
  recordings: NewSample[];
}

/** The length is null until the file has been decoded. */
type StoredFile = Omit<NewSample, 'durationSecs'> & { durationSecs: number | null };

/**
 * Receives recordings. Each goes to the audio store as it arrives, and is decoded when all are there, so that a client is not
 * kept waiting while it sends. What is refused is deleted.
 */
@Injectable()
export class RecordingUploads {
  constructor(
    private readonly audio: AudioStore,
    private readonly inspector: RecordingInspector,
  ) {}

  /**
   * @param admit refuses recordings before the first one is stored
   * @throws InvalidInput naming the file that is not accepted, and what `admit` and the form throw
   */
  async receive<T>(
    upload: Upload<T>,
    admit: () => Promise<void> = async () => {},
  ): Promise<ReceivedRecordings<T>> {
    const stored: StoredFile[] = [];
    try {
      const fields = await upload.receive(async (file) => {
        if (stored.length === 0) await admit();
        requireRoom(stored.length + 1);
        stored.push(await this.store(file, stored.length));
      });
      const recordings: NewSample[] = [];
      for (const [index, file] of stored.entries()) recordings.push(await this.inspect(file, index));
      return { fields, recordings };
    } catch (error) {
      await this.audio.discard(stored);
      throw error;
    }
  }

  /** Does something with received recordings, in whose transaction `keep` must be called; deletes them when it fails. */
  async use<T>(recordings: NewSample[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.audio.discard(recordings);
      throw error;
    }
  }

  /**
   * Keeps received recordings, in the transaction that makes them samples of a voice.
   *
   * @throws DomainError `service_unavailable` when another request has just deleted the same audio
   */
  async keep(recordings: NewSample[], em: EntityManager): Promise<void> {
    const digests = recordings.map(({ audioDigest }) => audioDigest);
    if (!(await this.audio.keepStored(digests, em))) throw new DomainError('service_unavailable');
  }

  private async store({ name, bytes }: UploadedFile, index: number): Promise<StoredFile> {
    const { container, durationSecs } = naming(name, index, () => inspectHeader(bytes));
    const mediaType = mediaTypeOf(container);
    const { digest, sizeBytes } = await this.audio.keep(await this.audio.stage(bytes, mediaType));
    const id = newPublicId(randomBytes);
    return { id, fileName: name, mediaType, sizeBytes, audioDigest: digest, durationSecs };
  }

  private async inspect(file: StoredFile, index: number): Promise<NewSample> {
    if (file.durationSecs !== null) return { ...file, durationSecs: file.durationSecs };
    const audio = await this.audio.find(file.audioDigest);
    if (!audio) throw new DomainError('service_unavailable');
    try {
      const { durationSecs } = await this.inspector.inspect(audio.bytes);
      return { ...file, durationSecs };
    } catch (error) {
      throw toRefusal(error, file.fileName, index);
    }
  }
}

/** @throws InvalidInput when a voice would have more recordings than it may */
export function requireRoom(count: number): void {
  if (count <= MAX_RECORDINGS) return;
  const msg = `List should have at most ${MAX_RECORDINGS} items: a voice has no more recordings`;
  const ctx = { max_length: MAX_RECORDINGS };
  throw new InvalidInput([{ type: 'too_long', path: ['files'], msg, input: null, ctx }]);
}

function naming<T>(name: string, index: number, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw toRefusal(error, name, index);
  }
}

function toRefusal(error: unknown, name: string, index: number): unknown {
  if (!(error instanceof UndecodableAudioError)) return error;
  const msg = `Value error, ${JSON.stringify(name)} is no recording that is accepted. ${error.message}`;
  return new InvalidInput([{ type: 'value_error', path: ['files', index], msg, input: name }]);
}
