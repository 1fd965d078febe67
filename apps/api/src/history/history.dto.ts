import type { HistoryItem } from '@app/database/history/history-item.entity';
import type { HistoryFilter } from '@app/database/history/history.repository';
import { choose } from '../http/choose';
import { CheckedField, EnumField, StringField } from '../http/fields';
import { checkUnixSecs, checkWholeNumber } from '../http/query-checks';
import { toSettingsResponse } from '../voices/voice.dto';
import type { HistoryPage } from './history.service';

const SOURCES = ['TTS', 'STS'] as const;

export class HistoryQuery {
  @CheckedField(checkWholeNumber({ min: 1, max: 1_000 }), { optional: true })
  page_size: string = '100';

  /** `last_history_item_id` of the page before. */
  @StringField({ optional: true, max: 200 })
  start_after_history_item_id?: string;

  @StringField({ optional: true, max: 200 })
  voice_id?: string;

  @StringField({ optional: true, max: 200 })
  model_id?: string;

  /** Exclusive. */
  @CheckedField(checkUnixSecs, { optional: true })
  date_before_unix?: string;

  /** Inclusive. */
  @CheckedField(checkUnixSecs, { optional: true })
  date_after_unix?: string;

  @EnumField(['asc', 'desc'], { optional: true })
  sort_direction: 'asc' | 'desc' = 'desc';

  /** Part of the text. */
  @StringField({ optional: true, max: 200 })
  search?: string;

  /** Speech from text is all that there is. */
  @EnumField([...SOURCES], { optional: true })
  source?: (typeof SOURCES)[number];
}

/** Null when nothing can match. */
export function toHistoryFilter(query: HistoryQuery): HistoryFilter | null {
  if (query.source === 'STS') return null;
  return {
    voiceId: query.voice_id || undefined,
    modelId: query.model_id || undefined,
    before: toTime(query.date_before_unix),
    after: toTime(query.date_after_unix),
    search: query.search || undefined,
    direction: query.sort_direction,
  };
}

function toTime(unixSecs: string | undefined): Date | undefined {
  return unixSecs === undefined ? undefined : new Date(Number(unixSecs) * 1_000);
}

export interface HistoryItemResponse extends ReturnType<typeof toHistoryItemResponse> {}

export function toHistoryItemResponse(item: HistoryItem) {
  return {
    history_item_id: item.id,
    ...choose(item, 'requestId', 'voiceId', 'modelId'),
    /** When it spoke. */
    voice_name: item.voiceName,
    voice_category: 'generated' as const,
    /** The part of the text that was sent. */
    text: item.text,
    date_unix: toUnix(item.createdAt),
    /** Credits that the account had used before, and after. */
    character_count_change_from: item.charactersBefore,
    character_count_change_to: item.charactersBefore + item.characters,
    content_type: item.mediaType,
    state: 'created' as const,
    settings: toSettingsResponse(item.settings),
    share_link_id: null,
    source: 'TTS' as const,
    alignments: null,
    dialogue: null,
    output_format: item.outputFormat,
  };
}

export interface HistoryResponse extends ReturnType<typeof toHistoryResponse> {}

export function toHistoryResponse({ items, hasMore }: HistoryPage) {
  const last = items.at(-1);
  return {
    history: items.map(toHistoryItemResponse),
    last_history_item_id: last?.id ?? null,
    has_more: hasMore,
    /** When the last item was created. */
    scanned_until: last ? toUnix(last.createdAt) : null,
  };
}

const toUnix = (time: Date) => Math.floor(time.getTime() / 1_000);
