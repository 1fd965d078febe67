import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PreviewPreference } from './preview-preference.entity';

const BATCH_ROWS = 1_000;

/** What customers chose over what. */
@Injectable()
export class PreferenceRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Every pair, or those of one account, oldest first, read in batches. */
  async *stream(accountId?: string): AsyncGenerator<PreviewPreference> {
    let last: PreviewPreference | undefined;
    do {
      const batch = await this.listAfter(last, accountId);
      yield* batch;
      last = batch.length === BATCH_ROWS ? batch.at(-1) : undefined;
    } while (last);
  }

  private async listAfter(
    last: PreviewPreference | undefined,
    accountId: string | undefined,
  ): Promise<PreviewPreference[]> {
    const query = this.dataSource.manager.createQueryBuilder(PreviewPreference, 't');
    if (accountId !== undefined) query.where('t.accountId = :accountId', { accountId });
    // The row itself is the position: a Date has lost its microseconds.
    if (last) {
      query.andWhere(
        `(t.createdAt, t.chosenPreviewId, t.rejectedPreviewId) > (SELECT l.created_at, l.chosen_preview_id,
           l.rejected_preview_id FROM preview_preference l WHERE l.chosen_preview_id = :chosen AND l.rejected_preview_id = :rejected)`,
        { chosen: last.chosenPreviewId, rejected: last.rejectedPreviewId },
      );
    }
    return query
      .orderBy({ 't.createdAt': 'ASC', 't.chosenPreviewId': 'ASC', 't.rejectedPreviewId': 'ASC' })
      .limit(BATCH_ROWS)
      .getMany();
  }
}
