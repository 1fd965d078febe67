import { requireReadable, type NewEntry } from '@app/administration/voices/screening-lists.service';
import { ScreeningRepository, type ScreenedVoice } from '@app/database/voices/screening.repository';
import { Screening, type ScreenedField } from '@app/domain/voices/screening';
import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isProfane } from './profanity';

/** Read at a time; other requests are served in between. */
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
    const meets = (text: string, field: ScreenedField, accountId: string) =>
      entry ? screening.find(text, field, accountId) !== null : isProfane(text);
    const result: ScreeningDryRun = { checked: 0, hits: 0, examples: [], isPartial: false };
    for (let afterId = ''; ; await nextTurn()) {
      const batch = await this.lists.listVoices(afterId, BATCH);
      for (const voice of batch) addVoice(voice, meets, result);
      if (batch.length < BATCH) return result;
      if (result.checked >= MAX_VOICES) return { ...result, isPartial: true };
      afterId = batch.at(-1)!.id;
    }
  }
}

function addVoice(
  voice: ScreenedVoice,
  meets: (text: string, field: ScreenedField, accountId: string) => boolean,
  result: ScreeningDryRun,
): void {
  result.checked += 1;
  const fields: ('name' | 'description')[] = ['name', 'description'];
  const field = fields.find((each) => meets(voice[each], each, voice.accountId));
  if (!field) return;
  result.hits += 1;
  if (result.examples.length < MAX_EXAMPLES) result.examples.push({ ...voice, field });
}
