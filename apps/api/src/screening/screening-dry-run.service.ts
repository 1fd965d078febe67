import { requireReadable, type NewEntry } from '@app/administration/voices/screening-lists.service';
import { ScreeningRepository, type ScreenedVoice } from '@app/database/voices/screening.repository';
import { inTurns } from '@app/domain/common/in-turns';
import type { Interruptible } from '@app/domain/common/interruptible';
import { Screening, type ScreenedField } from '@app/domain/voices/screening';
import { Injectable } from '@nestjs/common';
import { findingProfanity } from './profanity';

/** Read at a time. */
const BATCH = 200;
const MAX_VOICES = 20_000;
const MAX_EXAMPLES = 50;

export interface ScreenedExample extends ScreenedVoice {
  field: ScreenedField;
}

export interface ScreeningDryRun {
  checked: number;
  hits: number;
  examples: ScreenedExample[];
  /** Whether voices were left out because there are more than are looked at at once. */
  isPartial: boolean;
}

/** What entries of the screening lists would have met. */
@Injectable()
export class ScreeningDryRunService {
  constructor(private readonly lists: ScreeningRepository) {}

  /** Which voices an entry, or the list of profane words (null), would have met. Nothing changes. */
  async run(entry: NewEntry | null): Promise<ScreeningDryRun> {
    if (entry) requireReadable(entry);
    const screening = new Screening(entry ? [{ id: 'dry-run', ...entry }] : []);
    const meeting: Meeting = function* (text, field, accountId) {
      return entry
        ? (yield* screening.finding(text, field, accountId)) !== null
        : yield* findingProfanity(text);
    };
    const result: ScreeningDryRun = { checked: 0, hits: 0, examples: [], isPartial: false };
    for (let afterId = ''; ;) {
      const batch = await this.lists.listVoices(afterId, BATCH);
      await inTurns(addingVoices(batch, meeting, result));
      if (batch.length < BATCH) return result;
      if (result.checked >= MAX_VOICES) return { ...result, isPartial: true };
      afterId = batch.at(-1)!.id;
    }
  }
}

/** Whether a text of an account has what is looked for. */
type Meeting = (text: string, field: ScreenedField, accountId: string) => Interruptible<boolean>;

function* addingVoices(
  voices: readonly ScreenedVoice[],
  meeting: Meeting,
  result: ScreeningDryRun,
): Interruptible<void> {
  for (const voice of voices) {
    yield;
    result.checked += 1;
    for (const field of ['name', 'description'] as const) {
      if (!(yield* meeting(voice[field], field, voice.accountId))) continue;
      result.hits += 1;
      if (result.examples.length < MAX_EXAMPLES) result.examples.push({ ...voice, field });
      break;
    }
  }
}
