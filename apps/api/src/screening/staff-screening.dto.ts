import type { ScreeningEntryRow } from '@app/database/voices/screening-entry.entity';
import { SCREENING_LISTS, type ScreeningList } from '@app/domain/voices/screening';
import { checkId } from '../api-keys/api-key-query.dto';
import { choose } from '../http/choose';
import { BooleanField, CheckedField, EnumField, StringField } from '../http/fields';
import { ReasonBody } from '../http/reason';
import { entryVersion, profanityVersion } from '@app/administration/voices/screening-lists.service';
import type { ScreeningDryRun } from './screening-dry-run.service';

const TEXT = { min: 2, max: 100 };

export class EditEntryBody extends ReasonBody {
  @StringField(TEXT)
  text: string;

  /** The account that may use a protected name. */
  @CheckedField(checkId, { optional: true, nullable: true })
  account_id?: string | null;
}

export class NewEntryBody extends EditEntryBody {
  /**
   * `blocked_words`: whole words of names, descriptions and texts to speak. `blocked_anywhere`: also inside of words.
   * `protected_names`: in names of voices, but for the account that may use them.
   */
  @EnumField(SCREENING_LISTS)
  list: ScreeningList;
}

export class ScreeningDryRunBody {
  /** `profanity`: the built-in list of profane English words; then there is no text. */
  @EnumField([...SCREENING_LISTS, 'profanity'])
  list: ScreeningList | 'profanity';

  @StringField({ max: 100, optional: true })
  text: string = '';

  @CheckedField(checkId, { optional: true, nullable: true })
  account_id?: string | null;
}

export class ProfanityBody extends ReasonBody {
  @BooleanField()
  enabled: boolean;
}

export interface ScreeningEntryResponse extends ReturnType<typeof toEntry> {}

function toEntry(entry: ScreeningEntryRow) {
  return {
    ...choose(entry, 'id', 'list', 'text', 'accountId', 'addedBy', 'addedAt'),
    /** For `If-Match`. */
    version: entryVersion(entry),
  };
}

export interface ScreeningResponse extends ReturnType<typeof toScreeningResponse> {}

export function toScreeningResponse({
  profanity,
  entries,
}: {
  profanity: boolean;
  entries: ScreeningEntryRow[];
}) {
  return {
    /** Whether the built-in list of profane English words counts, too. */
    profanity,
    /** Of `profanity`: for the `If-Match` of its change. */
    profanity_version: profanityVersion({ profanity }),
    items: entries.map(toEntry),
  };
}

export interface ScreeningDryRunResponse extends ReturnType<typeof toDryRunResponse> {}

export function toDryRunResponse({ checked, hits, examples, isPartial }: ScreeningDryRun) {
  const voices = examples.map(({ id, name, accountId, accountName, field }) => ({
    voice_id: id,
    name,
    account: { id: accountId, name: accountName },
    field,
  }));
  return {
    /** Voices that were looked at. */
    checked,
    /** Voices that would have been refused. */
    hits,
    /** The first 50 of them. */
    voices,
    /** More voices exist than are looked at at once. */
    partial: isPartial,
  };
}
