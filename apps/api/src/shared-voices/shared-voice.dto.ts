import type { SharedVoiceFilter } from '@app/database/voices/shared-voice.repository';
import { categoryOf, type Voice } from '@app/database/voices/voice.entity';
import { BooleanField, CheckedField, EnumField, StringField } from '../http/fields';
import { checkFlag, checkTextList, checkWholeNumber, isTrue } from '../http/query-checks';
import { ReasonBody } from '../http/reason';
import { CATEGORIES, toList, toWords } from '../voices/voice-query.dto';
import type { SharedVoicePage } from './shared-voices.service';

/** The catalogue is the platform's own, also for voices that an account designed. */
export const OWNER = 'platform';
const TEXT = { optional: true, max: 200 };
const SORTS = ['created_date', 'usage_character_count_1y', 'trending', 'cloned_by_count'];

/** Every parameter of the contract. */
export class SharedVoicesQuery {
  @CheckedField(checkWholeNumber({ min: 1, max: 100 }), { optional: true })
  page_size: string = '30';

  /** From 0. */
  @CheckedField(checkWholeNumber({ min: 0, max: 10_000 }), { optional: true })
  page: string = '0';

  @EnumField([...CATEGORIES, 'famous', 'high_quality'], { optional: true })
  category?: string;

  @StringField(TEXT)
  gender?: string;

  @StringField(TEXT)
  age?: string;

  @StringField(TEXT)
  accent?: string;

  @StringField(TEXT)
  language?: string;

  @StringField(TEXT)
  locale?: string;

  @StringField(TEXT)
  search: string = '';

  @CheckedField(checkTextList({ maxItems: 100, maxLength: 200 }), { optional: true })
  use_cases?: string | string[];

  @CheckedField(checkTextList({ maxItems: 100, maxLength: 200 }), { optional: true })
  descriptives?: string | string[];

  /** No voice is featured. */
  @CheckedField(checkFlag, { optional: true })
  featured: string = 'false';

  @CheckedField(checkWholeNumber({ min: 0, max: 100_000 }), { optional: true })
  min_notice_period_days?: string;

  @CheckedField(checkFlag, { optional: true })
  include_custom_rates?: string;

  @CheckedField(checkFlag, { optional: true })
  include_live_moderated?: string;

  @CheckedField(checkFlag, { optional: true })
  reader_app_enabled: string = 'false';

  @StringField(TEXT)
  owner_id?: string;

  /** Has no effect: those shared last come first. */
  @EnumField(SORTS, { optional: true })
  sort?: string;
}

/** Null when none can match. */
export function toSharedVoiceFilter(query: SharedVoicesQuery): SharedVoiceFilter | null {
  const { category = 'generated', owner_id: owner = OWNER, featured, reader_app_enabled: reader } = query;
  if (category !== 'generated' || owner !== OWNER || isTrue(featured) || isTrue(reader)) return null;
  const languages = [query.language, query.locale].filter((language) => language !== undefined);
  return {
    words: [...toWords(query.search), ...(toList(query.descriptives) ?? []).flatMap(toWords)],
    gender: query.gender || undefined,
    age: query.age || undefined,
    accent: query.accent || undefined,
    languages: languages.length > 0 ? languages : undefined,
    useCases: toList(query.use_cases),
  };
}

export interface SharedVoicesResponse extends ReturnType<typeof toSharedVoicesResponse> {}

export function toSharedVoicesResponse(
  { voices, hasMore, total }: SharedVoicePage,
  previewUrlOf: (voiceId: string) => string,
) {
  return {
    voices: voices.map((voice) => toSharedVoice(voice, previewUrlOf(voice.id))),
    has_more: hasMore,
    total_count: total,
    last_sort_id: null,
  };
}

/** A shared voice without anything of the account that designed it. */
export interface SharedVoiceResponse extends ReturnType<typeof toSharedVoice> {}

function toSharedVoice(voice: Voice, previewUrl: string) {
  const { labels, language } = voice;
  return {
    public_owner_id: OWNER as typeof OWNER,
    voice_id: voice.id,
    /** When it was shared. */
    date_unix: Math.floor((voice.sharedAt ?? voice.createdAt).getTime() / 1_000),
    name: voice.name,
    accent: labels.accent ?? '',
    gender: labels.gender ?? '',
    age: labels.age ?? '',
    descriptive: labels.descriptive ?? '',
    use_case: labels.use_case ?? '',
    category: categoryOf(voice),
    language: labels.language ?? language.split('-')[0]!,
    locale: language,
    description: voice.description,
    preview_url: previewUrl,
    usage_character_count_1y: 0 as const,
    usage_character_count_7d: 0 as const,
    play_api_usage_character_count_1y: 0 as const,
    cloned_by_count: 0 as const,
    rate: 1 as const,
    free_users_allowed: true as const,
    live_moderation_enabled: false as const,
    featured: false as const,
    notice_period: null,
    is_added_by_user: false as const,
    is_bookmarked: false as const,
  };
}

export class AddSharedVoiceBody {
  @StringField({ min: 1, max: 500 })
  new_name: string;

  /** Has no effect: nothing is bookmarked here. */
  @BooleanField({ optional: true, nullable: true })
  bookmarked?: boolean | null;
}

export class ShareVoiceBody extends ReasonBody {
  @BooleanField()
  shared: boolean;
}
