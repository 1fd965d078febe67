import type { AudioStore } from '@app/audio-store/audio-store';
import type { NewHistoryItem } from '@app/database/history/history.repository';
import { Logger } from '@nestjs/common';

/** What is known of a history item before anything is spoken. */
export type PlannedHistoryItem = Omit<NewHistoryItem, 'text' | 'characters' | 'charactersBefore'>;

interface StoredPiece {
  audioDigest: string;
  sizeBytes: number;
  written: string;
  characters: number;
}

/** A history item whose text is still being spoken. Its audio is stored piece by piece; if that fails, there is no item. */
export class HistoryDraft {
  private readonly logger = new Logger(HistoryDraft.name);
  private readonly pieces: StoredPiece[] = [];
  private storing: Promise<void> = Promise.resolve();
  private isBroken = false;

  constructor(
    readonly item: PlannedHistoryItem,
    private readonly audio: AudioStore,
  ) {}

  /** Stores a piece while it is sent; waits only for the piece before it. */
  async add(bytes: Uint8Array, piece: Pick<StoredPiece, 'written' | 'characters'>): Promise<void> {
    await this.storing;
    this.storing = this.store(bytes, piece).catch((error: unknown) => {
      this.isBroken = true;
      const { requestId } = this.item;
      this.logger.warn(`Speech is not stored in the history: ${String(error)}`, { requestId });
    });
  }

  /**
   * The pieces that have so many characters, which are the first ones.
   *
   * @returns null when a piece could not be stored
   */
  async piecesFor(sent: number): Promise<StoredPiece[] | null> {
    await this.storing;
    let left = sent;
    return this.isBroken ? null : this.pieces.filter(({ characters }) => (left -= characters) >= 0);
  }

  private async store(bytes: Uint8Array, piece: Pick<StoredPiece, 'written' | 'characters'>): Promise<void> {
    if (this.isBroken) return;
    const staged = await this.audio.stage(bytes, this.item.mediaType);
    const { digest: audioDigest, sizeBytes } = await this.audio.keep(staged);
    this.pieces.push({ ...piece, audioDigest, sizeBytes });
  }
}
