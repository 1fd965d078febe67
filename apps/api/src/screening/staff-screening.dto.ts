import type { ScreeningEntryRow } from '@app/database/voices/screening-entry.entity';
import { SCREENING_LISTS, type ScreenedField, type ScreeningList } from '@app/domain/voices/screening';
import { checkId } from '../api-keys/api-key-query.dto';
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

interface ScreeningEntryResponse {
  id: string;
  list: ScreeningList;
  text: string;
  account_id: string | null;
  added_by: string;
  added_at: string;
  /** For `If-Match`. */
  version: number;
}

export interface ScreeningResponse {
  /** Whether the built-in list of profane English words counts, too. */
  profanity: boolean;
  /** Of `profanity`: for the `If-Match` of its change. */
  profanity_version: number;
  items: ScreeningEntryResponse[];
}

export interface ScreeningDryRunResponse {
  /** Voices that were looked at. */
  checked: number;
  /** Voices that would have been refused. */
  hits: number;
  /** The first 50 of them. */
  voices: {
    voice_id: string;
    name: string;
    account: { id: string; name: string | null };
    field: ScreenedField;
  }[];
  /** More voices exist than are looked at at once. */
  partial: boolean;
}

export function toScreeningResponse({
  profanity,
  entries,
}: {
  profanity: boolean;
  entries: ScreeningEntryRow[];
}): ScreeningResponse {
  const items = entries.map((entry) => ({
    id: entry.id,
    list: entry.list,
    text: entry.text,
    account_id: entry.accountId,
    added_by: entry.addedBy,
    added_at: entry.addedAt.toISOString(),
    version: entryVersion(entry),
  }));
  return { profanity, profanity_version: profanityVersion({ profanity }), items };
}

export function toDryRunResponse({
  checked,
  hits,
  examples,
  isPartial,
}: ScreeningDryRun): ScreeningDryRunResponse {
  const voices = examples.map(({ id, name, accountId, accountName, field }) => ({
    voice_id: id,
    name,
    account: { id: accountId, name: accountName },
    field,
  }));
  return { checked, hits, voices, partial: isPartial };
}
