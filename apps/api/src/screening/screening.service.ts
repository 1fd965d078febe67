import { ScreeningRepository } from '@app/database/voices/screening.repository';
import { inTurns } from '@app/domain/common/in-turns';
import { DomainError } from '@app/domain/errors';
import type { Caller } from '@app/domain/keys/caller';
import { Screening, type ScreenedField } from '@app/domain/voices/screening';
import { Injectable } from '@nestjs/common';
import { findingProfanity } from './profanity';

/** How old what is known of the lists may be: then it is read whether they have changed. */
const KNOWN_MS = 1_000;

/** What is screened of a request, by the name of its field there. */
export type Screened = Partial<
  Record<'name' | 'voice_name' | 'voice_description' | 'description' | 'text', string | null>
>;

const FIELDS: Record<keyof Screened, ScreenedField> = {
  name: 'name',
  voice_name: 'name',
  voice_description: 'description',
  description: 'description',
  text: 'text',
};

interface Known {
  version: number;
  profanity: boolean;
  screening: Screening;
  readAtMs: number;
}

/** Screens what callers write, by the lists that staff keep. */
@Injectable()
export class ScreeningService {
  private known: Known | null = null;

  constructor(private readonly lists: ScreeningRepository) {}

  /** @throws DomainError `blocked_generation` that names the field; nothing was generated or stored */
  async require(caller: Caller, screened: Screened): Promise<void> {
    const refusal = await this.findRefusal(caller, screened);
    if (refusal) throw refusal;
  }

  /** Why a request is refused; null when it is not. For requests that may be repeated: those get the same response as before. */
  async findRefusal({ key: { accountId } }: Caller, screened: Screened): Promise<DomainError | null> {
    const { screening, profanity } = await this.know();
    for (const [param, text] of Object.entries(screened)) {
      if (!text) continue;
      const field = FIELDS[param as keyof Screened];
      const found =
        (await inTurns(screening.finding(text, field, accountId))) ??
        (profanity && (await inTurns(findingProfanity(text))));
      if (found) return new DomainError('blocked_generation', {}, { param });
    }
    return null;
  }

  /** The lists have changed here: they are read again for the next request. */
  invalidate(): void {
    this.known = null;
  }

  private async know(): Promise<Known> {
    const now = performance.now();
    if (this.known && now - this.known.readAtMs < KNOWN_MS) return this.known;
    const { version, profanity } = await this.lists.getState();
    const screening =
      this.known?.version === version ? this.known.screening : new Screening(await this.lists.list());
    this.known = { version, profanity, screening, readAtMs: now };
    return this.known;
  }
}
