import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { byCaller } from '@app/administration/audit/audit-actors';
import { AudioStore } from '@app/audio-store/audio-store';
import type { HistoryItem } from '@app/database/history/history-item.entity';
import { HistoryRepository, type HistoryFilter } from '@app/database/history/history.repository';
import { VoiceSafetyRepository } from '@app/database/voices/voice-safety.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { DomainError } from '@app/domain/errors';
import type { Caller } from '@app/domain/keys/caller';
import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { requireReleased } from '../voices/voices.service';

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
  ) {}

  /** @throws DomainError `history_item_not_found` */
  async get({ key }: Caller, id: string, param?: string): Promise<HistoryItem> {
    const item = isPublicId(id) ? await this.history.findOwned(id, key.accountId) : null;
    if (!item) throw notFound(id, param);
    return item;
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
  async readAudio({ id, voiceId, pieces }: HistoryItem): Promise<Readable> {
    const voice = await this.safety.findUnreleased([voiceId]);
    if (voice) requireReleased(voice);
    const { audio } = this;
    async function* read(): AsyncGenerator<Buffer> {
      for (const { audioDigest } of pieces) {
        const found = await audio.find(audioDigest);
        if (!found) throw new Error(`The audio of history item ${id} was deleted while it was read.`);
        yield found.bytes;
      }
    }
    return Readable.from(read(), { objectMode: false, highWaterMark: 0 });
  }

  /** Deletes an item, and its audio unless it is the audio of something else too. */
  async delete(caller: Caller, id: string): Promise<void> {
    const { result: item } = await this.audited.make(async (em) => {
      const item = await this.get(caller, id);
      if (!(await this.history.delete(id, caller.key.accountId, em))) throw notFound(id);
      const event = {
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
