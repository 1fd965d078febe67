import type { VoiceFilter, VoiceOrder } from '@app/database/voices/voice-filter';
import type { VoiceCategory } from '@app/database/voices/voice.entity';
import { isPublicId } from '@app/domain/common/public-id';
import { CheckedField, EnumField, StringField } from '../http/fields';
import { MAX_CURSOR_LENGTH } from '../http/pagination';
import type { VoicePage } from './voice-search.service';
import { checkFlag, checkTextList, checkWholeNumber, isTrue } from '../http/query-checks';

const TEXT = { optional: true, max: 200 };
const VOICE_TYPES = [
  'personal',
  'community',
  'default',
  'workspace',
  'non-default',
  'non-community',
  'saved',
];
export const CATEGORIES = ['premade', 'cloned', 'generated', 'professional'];
const TUNING_STATES = [
  'draft',
  'not_verified',
  'not_started',
  'queued',
  'fine_tuning',
  'fine_tuned',
  'failed',
  'delayed',
];
/** A longer search names more than a voice has. */
const MAX_WORDS = 20;

export class PreviewAudioQuery {
  @StringField({ optional: true, max: 20 })
  expires: string = '';

  /** The key and the number of its secret that requested the URL. */
  @StringField({ optional: true, max: 60 })
  issuer: string = '';

  @StringField({ optional: true, max: 100 })
  signature: string = '';
}

/** Every parameter of the contract. Those about shared and fine-tuned voices, of which there are none, are only checked. */
export class VoiceSearchQuery {
  @StringField({ optional: true, max: MAX_CURSOR_LENGTH })
  next_page_token: string = '';

  @CheckedField(checkWholeNumber({ min: 1, max: 100 }), { optional: true })
  page_size: string = '10';

  @StringField(TEXT)
  search: string = '';

  @EnumField(['created_at_unix', 'name'], { optional: true })
  sort: VoiceOrder = 'created_at_unix';

  @EnumField(['asc', 'desc'], { optional: true })
  sort_direction?: 'asc' | 'desc';

  @EnumField(VOICE_TYPES, { optional: true })
  voice_type?: string;

  @EnumField(CATEGORIES, { optional: true })
  category?: string;

  @EnumField(TUNING_STATES, { optional: true })
  fine_tuning_state?: string;

  @StringField(TEXT)
  collection_id?: string;

  @StringField(TEXT)
  gender?: string;

  @StringField(TEXT)
  age?: string;

  @StringField(TEXT)
  accent?: string;

  @CheckedField(checkTextList({ maxItems: 100, maxLength: 200 }), { optional: true })
  language?: string | string[];

  @CheckedField(checkTextList({ maxItems: 100, maxLength: 200 }), { optional: true })
  use_cases?: string | string[];

  @CheckedField(checkWholeNumber({ min: 0, max: 100_000 }), { optional: true })
  min_notice_period_days?: string;

  @CheckedField(checkFlag, { optional: true })
  include_custom_rates?: string;

  @CheckedField(checkFlag, { optional: true })
  include_live_moderated?: string;

  @CheckedField(checkFlag, { optional: true })
  high_quality?: string;

  @CheckedField(checkFlag, { optional: true })
  include_total_count: string = 'true';

  @CheckedField(checkTextList({ maxItems: 100, maxLength: 200 }), { optional: true })
  voice_ids?: string | string[];
}

export function wantsTotal({ include_total_count }: VoiceSearchQuery): boolean {
  return isTrue(include_total_count);
}

/** What a query narrows an account's voices to; null when none can match, because all of them are its own. */
export function toFilter(accountId: string, query: VoiceSearchQuery): VoiceFilter | null {
  const { voice_type: type, category, fine_tuning_state, collection_id } = query;
  if (type === 'community' || type === 'default') return null;
  if (category !== undefined && !isOwnCategory(category)) return null;
  if (fine_tuning_state || collection_id) return null;
  return {
    accountId,
    category,
    ids: toList(query.voice_ids)?.filter(isPublicId),
    words: toWords(query.search),
    gender: query.gender || undefined,
    age: query.age || undefined,
    accent: query.accent || undefined,
    languages: toList(query.language),
    useCases: toList(query.use_cases),
  };
}

export function toVoicePage(query: VoiceSearchQuery): VoicePage {
  const { sort: order, sort_direction: direction = order === 'name' ? 'asc' : 'desc' } = query;
  return { order, direction, token: query.next_page_token, limit: Number(query.page_size) };
}

export function toList(input: string | string[] | undefined): string[] | undefined {
  return input === undefined ? undefined : [input].flat();
}

function isOwnCategory(category: string): category is VoiceCategory {
  return category === 'generated' || category === 'cloned';
}

/** The words of a search. */
export function toWords(search: string): string[] {
  const words = new Set(search.toLowerCase().split(/\s+/));
  return [...words].filter((word) => word !== '').slice(0, MAX_WORDS);
}
