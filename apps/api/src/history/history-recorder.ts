import { AudioStore } from '@app/audio-store/audio-store';
import { AppConfig } from '@app/config/app-config';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { HistoryRepository } from '@app/database/history/history.repository';
import { newPublicId } from '@app/domain/common/public-id';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomBytes } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { HistoryDraft, type PlannedHistoryItem } from './history-draft';

/** Keeps what is spoken, where `HISTORY_DAYS` is more than 0. */
@Injectable()
export class HistoryRecorder {
  private readonly logger = new Logger(HistoryRecorder.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly history: HistoryRepository,
    private readonly accounts: AccountRepository,
    private readonly audio: AudioStore,
    private readonly config: AppConfig,
  ) {}

  /** Null where nothing is stored. */
  begin(item: Omit<PlannedHistoryItem, 'id'>): HistoryDraft | null {
    if (this.config.historyDays === 0) return null;
    return new HistoryDraft({ ...item, id: newPublicId(randomBytes) }, this.audio);
  }

  /**
   * Stores the item, and charges it: both or neither. Audio that is not stored any more costs the item, not the charge.
   *
   * @param held credits that the account has set aside for it
   * @param sent characters of the pieces that were sent
   * @param cost credits that are charged for them
   * @param charge called last in the transaction
   */
  async finish(
    draft: HistoryDraft,
    { held, sent, cost }: { held: number; sent: number; cost: number },
    charge: (em: EntityManager) => Promise<void>,
  ): Promise<void> {
    const pieces = await draft.piecesFor(sent);
    const { item } = draft;
    const { creditsUsed } = await this.accounts.getUsage(item.accountId);
    await this.dataSource.transaction(async (em) => {
      if (pieces && (await this.keepAudio(item, pieces, em))) {
        const text = pieces.map(({ written }) => written).join('');
        const charactersBefore = Math.max(0, creditsUsed - held);
        await this.history.insert(
          { ...item, text, characters: cost, charactersBefore },
          pieces.map(({ audioDigest, sizeBytes }) => ({ audioDigest, sizeBytes })),
          em,
        );
      }
      await charge(em);
    });
  }

  /**
   * Keeps the audio of an item until the transaction ends. False when some of it has been deleted since it was stored, with
   * another item that sounded the same: then there is no item.
   */
  private async keepAudio(
    { requestId }: PlannedHistoryItem,
    pieces: readonly { audioDigest: string }[],
    em: EntityManager,
  ): Promise<boolean> {
    const digests = pieces.map(({ audioDigest }) => audioDigest);
    const isStored = await this.audio.keepStored(digests, em);
    if (!isStored)
      this.logger.warn('Speech is not stored in the history: its audio was deleted', { requestId });
    return isStored;
  }
}
