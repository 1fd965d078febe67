import type { Voice } from '@app/database/voices/voice.entity';
import { VOICE_ORDERS, type VoiceFilter, type VoiceOrder } from '@app/database/voices/voice-filter';
import { VoiceSearchRepository } from '@app/database/voices/voice-search.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { decodeCursor, toPage, type ListIdentity, type Page } from '../http/pagination';
import { toPosition } from '../http/sorted-list';

/** The list without pages ends here; the search has no end. */
const LIST_LIMIT = 500;

/** Which page of a search, and in which order. */
export interface VoicePage {
  order: VoiceOrder;
  direction: 'asc' | 'desc';
  /** Of the page before; empty for the first page. */
  token: string;
  limit: number;
}

@Injectable()
export class VoiceSearchService {
  constructor(private readonly voices: VoiceSearchRepository) {}

  /** The newest voices of the caller's account. */
  async list({ key }: Caller): Promise<Voice[]> {
    const page = { order: 'created_at_unix', descending: true, after: null, limit: LIST_LIMIT } as const;
    const { rows } = await this.voices.search({ accountId: key.accountId }, page);
    return rows.flatMap(({ voice }) => voice ?? []);
  }

  /**
   * One page of the voices of an account that match.
   *
   * @param filter null when none can match
   */
  async search(
    filter: VoiceFilter | null,
    { order, direction, token, limit }: VoicePage,
  ): Promise<Page<Voice>> {
    const list: ListIdentity = {
      name: 'voices',
      filter: { ...filter },
      sort: `${order} ${direction}`,
      param: 'next_page_token',
    };
    const after = token ? decodeCursor(token, list, 2) : null;
    if (!filter) return { items: [], next_cursor: null, total: 0 };
    const { rows, total } = await this.voices.search(filter, {
      order,
      descending: direction === 'desc',
      after: after && toPosition(after, VOICE_ORDERS[order].type, list, isPublicId),
      limit: limit + 1,
    });
    const page = toPage(rows, limit, list, total, ({ position, id }) => [position, id]);
    return { ...page, items: page.items.flatMap(({ voice }) => voice ?? []) };
  }
}
