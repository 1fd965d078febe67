import { AudioStore } from '@app/audio-store/audio-store';
import { mediaTypeOf } from '@app/audio/codecs/container';
import { UndecodableAudioError } from '@app/audio/codecs/undecodable-audio.error';
import type { NewSample } from '@app/database/voices/voice.repository';
import { newPublicId } from '@app/domain/common/public-id';
import { HeldShares } from '@app/domain/common/held-shares';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { DomainError } from '@app/domain/errors';
import type { Caller } from '@app/domain/keys/caller';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { Upload, UploadedFile } from '../http/upload';
import { RecordingInspector, type Inspect } from './recording-inspector';

/** A voice has no more recordings. */
const MAX_RECORDINGS = 25;

/** Nor more sound than that, in seconds: half an hour, about ten times what a voice needs. */
const MAX_VOICE_SECS = 1_800;

/** Forms of recordings that are received or inspected at a time. */
const UNFINISHED = { perOwner: 8, inAll: 400 };
const RETRY_AFTER_SECS = 5;

/** A form whose recordings are stored and inspected, and that no voice has yet. */
export interface ReceivedRecordings<T> {
  fields: T;
  recordings: NewSample[];
}

/** The length is null until the file has been decoded. */
type StoredFile = Omit<NewSample, 'durationSecs'> & { durationSecs: number | null };

/**
 * Receives recordings. Each goes to the audio store as it arrives, and is decoded when all are there, so that a client is not
 * left waiting while it sends. What is refused is deleted, unless another upload has the same recording. An account has only
 * so many uploads that are not finished.
 */
@Injectable()
export class RecordingUploads {
  private readonly unfinished = new HeldShares(UNFINISHED);
  /** By digest: the uploads that hold a recording. */
  private readonly holders = new HeldShares({ perOwner: Infinity, inAll: Infinity });

  constructor(
    private readonly audio: AudioStore,
    private readonly inspector: RecordingInspector,
  ) {}

  /**
   * Receives recordings and does something with them, in whose transaction `keep` must be called; deletes them when it fails.
   *
   * @param admit refuses recordings before the first one is stored
   * @throws InvalidInput naming the file that is not accepted, and what `admit`, `work` and the form throw
   * @throws DomainError `too_many_uploads`; `system_busy` when its inspection would wait too long
   */
  async receive<T, R>(
    caller: Caller,
    upload: Upload<T>,
    work: (received: ReceivedRecordings<T>) => Promise<R>,
    admit: () => Promise<void> = async () => {},
  ): Promise<R> {
    const stored: StoredFile[] = [];
    let isRefused = true;
    try {
      const result = await work(await this.inspectForm(caller, upload, admit, stored));
      isRefused = false;
      return result;
    } finally {
      for (const { audioDigest } of stored) this.holders.release(audioDigest, 1);
      const unheld = stored.filter(({ audioDigest }) => this.holders.heldBy(audioDigest) === 0);
      if (isRefused) await this.audio.discard(unheld);
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

  private async inspectForm<T>(
    caller: Caller,
    upload: Upload<T>,
    admit: () => Promise<void>,
    stored: StoredFile[],
  ): Promise<ReceivedRecordings<T>> {
    let isCounted = false;
    try {
      const fields = await upload.receive(async (file) => {
        if (stored.length === 0) await admit();
        isCounted ||= this.count(caller.key);
        requireRoom(stored.length + 1);
        await this.store(file, stored);
      });
      return { fields, recordings: await this.inspectAll(caller, stored) };
    } finally {
      if (isCounted) this.unfinished.release(caller.key.accountId, 1);
    }
  }

  /** @throws DomainError when the account, or all of them, have as many unfinished uploads as are accepted */
  private count({ accountId }: VerifiableKey): true {
    const full = this.unfinished.take(accountId, 1);
    if (!full) return true;
    const retry = { retryAfterSecs: RETRY_AFTER_SECS };
    if (full === 'all') throw new DomainError('system_busy', {}, retry);
    const count = this.unfinished.heldBy(accountId);
    throw new DomainError('too_many_uploads', { count, limit: UNFINISHED.perOwner }, retry);
  }

  private async store({ name, bytes }: UploadedFile, stored: StoredFile[]): Promise<void> {
    const { container, durationSecs } = naming(name, stored.length, () => this.inspector.readHeader(bytes));
    const mediaType = mediaTypeOf(container);
    const staged = await this.audio.stage(bytes, mediaType);
    const { digest, sizeBytes } = staged;
    const id = newPublicId(randomBytes);
    this.holders.take(digest, 1);
    stored.push({ id, fileName: name, mediaType, sizeBytes, audioDigest: digest, durationSecs });
    await this.audio.keep(staged);
  }

  /** A form whose files have all shown their length waits for no turn. */
  private async inspectAll(caller: Caller, stored: StoredFile[]): Promise<NewSample[]> {
    if (stored.every(isInspected)) {
      requireTime(stored);
      return stored;
    }
    return this.inspector.takeTurn(caller, async (inspect) => {
      const samples: NewSample[] = [];
      for (const [index, file] of stored.entries()) {
        samples.push(isInspected(file) ? file : await this.inspect(file, index, inspect));
        requireTime(samples);
      }
      return samples;
    });
  }

  private async inspect(file: StoredFile, index: number, inspect: Inspect): Promise<NewSample> {
    try {
      const { durationSecs } = await inspect(async () => this.read(file));
      return { ...file, durationSecs };
    } catch (error) {
      throw toRefusal(error, file.fileName, index);
    }
  }

  private async read({ audioDigest }: StoredFile): Promise<Uint8Array> {
    const audio = await this.audio.find(audioDigest);
    if (!audio) throw new DomainError('service_unavailable');
    return audio.bytes;
  }
}

function isInspected(file: StoredFile): file is NewSample {
  return file.durationSecs !== null;
}

/** @throws InvalidInput when a voice would have more recordings than it may */
export function requireRoom(count: number): void {
  if (count <= MAX_RECORDINGS) return;
  const msg = `List should have at most ${MAX_RECORDINGS} items: a voice has no more recordings`;
  const ctx = { max_length: MAX_RECORDINGS };
  throw new InvalidInput([{ type: 'too_long', path: ['files'], msg, input: null, ctx }]);
}

/** @throws InvalidInput when recordings are longer together than those of a voice may be */
export function requireTime(recordings: readonly { durationSecs: number }[]): void {
  const secs = recordings.reduce((sum, { durationSecs }) => sum + durationSecs, 0);
  if (secs <= MAX_VOICE_SECS) return;
  const msg = `Value error, the recordings are ${Math.round(secs)} seconds long together: a voice has at most ${MAX_VOICE_SECS}`;
  throw new InvalidInput([{ type: 'value_error', path: ['files'], msg, input: null }]);
}

function naming<T>(name: string, index: number, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw toRefusal(error, name, index);
  }
}

function toRefusal(error: unknown, name: string, index: number): unknown {
  if (!(error instanceof UndecodableAudioError)) return error;
  const msg = `Value error, ${JSON.stringify(name)} is not a recording that is accepted. ${error.message}`;
  return new InvalidInput([{ type: 'value_error', path: ['files', index], msg, input: name }]);
}
