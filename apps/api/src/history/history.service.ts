import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { byCaller } from '@app/administration/audit/audit-actors';
import { AudioStore } from '@app/audio-store/audio-store';
import { AppConfig } from '@app/config/app-config';
import type { HistoryItem } from '@app/database/history/history-item.entity';
import { HistoryRepository, type HistoryFilter } from '@app/database/history/history.repository';
import { VoiceSafetyRepository } from '@app/database/voices/voice-safety.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { DomainError } from '@app/domain/errors';
import type { Caller } from '@app/domain/keys/caller';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Recording } from '../http/audio-response';
import type { ByteRange } from '../http/byte-range';
import { syntheticMark } from '../http/synthetic-mark';
import { requireReleased } from '../voices/voices.service';
import type { AuditEntry } from '@app/administration/audit/audit-log';

export interface HistoryPage {
  items: HistoryItem[];
  hasMore: boolean;
}

/** What the voices of an account have spoken. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly history: HistoryRepository,
    private readonly audio: AudioStore,
    private readonly audited: AuditedChanges,
    private readonly safety: VoiceSafetyRepository,
    private readonly config: AppConfig,
  ) {}

  /** @throws DomainError `history_item_not_found` */
  async get({ key }: Caller, id: string, param?: string): Promise<HistoryItem> {
    const item = await this.find({ key }, id);
    if (!item) throw notFound(id, param);
    return item;
  }

  async find({ key }: Pick<Caller, 'key'>, id: string): Promise<HistoryItem | null> {
    return isPublicId(id) ? this.history.findOwned(id, key.accountId) : null;
  }

  /** @param startAfterId the last item of the page before; null for the first page */
  async list(
    caller: Caller,
    filter: HistoryFilter,
    startAfterId: string | null,
    limit: number,
  ): Promise<HistoryPage> {
    const startAfter =
      startAfterId === null ? null : await this.get(caller, startAfterId, 'start_after_history_item_id');
    const items = await this.history.list(caller.key.accountId, filter, startAfter, limit + 1);
    return { items: items.slice(0, limit), hasMore: items.length > limit };
  }

  /**
   * The audio of an item, read piece by piece as it is taken.
   *
   * @throws DomainError `voice_held` when staff hold the voice that spoke it, or have taken it down
   */
  async getAudio({ id, voiceId, mediaType, pieces, createdAt }: HistoryItem): Promise<Recording<Readable>> {
    const voice = await this.safety.findUnreleased([voiceId]);
    if (voice) requireReleased(voice);
    const sizeBytes = pieces.reduce((sum, piece) => sum + piece.sizeBytes, 0);
    const digests = pieces.map(({ audioDigest }) => audioDigest).join();
    const digest = createHash('sha256').update(digests).digest('hex');
    const read = (range: ByteRange = { start: 0, end: sizeBytes - 1 }) =>
      Readable.from(this.readPieces(id, pieces, range), { objectMode: false, highWaterMark: 0 });
    const mark = syntheticMark(this.config, id, createdAt);
    return { digest, mediaType, sizeBytes, storedAt: createdAt, mark, read: async (range) => read(range) };
  }

  private async *readPieces(
    itemId: string,
    pieces: HistoryItem['pieces'],
    { start, end }: ByteRange,
  ): AsyncGenerator<Buffer> {
    let before = 0;
    for (const { audioDigest, sizeBytes } of pieces) {
      const part = { start: Math.max(0, start - before), end: Math.min(sizeBytes - 1, end - before) };
      before += sizeBytes;
      if (part.start > part.end) continue;
      const found = await this.audio.find(audioDigest, part);
      if (!found) throw new Error(`The audio of history item ${itemId} was deleted while it was read.`);
      yield found.bytes;
    }
  }

  /** Deletes an item, and its audio unless it is the audio of something else too. */
  async delete(caller: Caller, id: string): Promise<void> {
    const { result: item } = await this.audited.make(async (em) => {
      const item = await this.get(caller, id);
      if (!(await this.history.delete(id, caller.key.accountId, em))) throw notFound(id);
      const event: AuditEntry = {
        actor: byCaller(caller),
        action: 'history_item.deleted',
        target: { type: 'history_item', id, accountId: caller.key.accountId },
        before: { voiceId: item.voiceId, characters: item.characters },
      };
      return { result: item, events: [event] };
    });
    await this.audio.discard(item.pieces);
  }
}

function notFound(historyItemId: string, param = 'history_item_id'): DomainError {
  return new DomainError('history_item_not_found', { historyItemId }, { param });
}
