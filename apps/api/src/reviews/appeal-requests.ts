import { byCaller } from '@app/administration/audit/audit-actors';
import { AuditedChanges, type Change } from '@app/administration/audit/audited-changes';
import type { ReviewAppeal } from '@app/database/voices/review-appeal.entity';
import { DomainError } from '@app/domain/errors';
import type { Caller } from '@app/domain/keys/caller';
import { Injectable } from '@nestjs/common';
import { IdempotentRequests } from '../http/idempotency';
import { VoicesService } from '../voices/voices.service';
import { AppealsService, type RequestedAppeal } from '@app/administration/reviews/appeals.service';

/** Appeals that accounts make for their voices, each executed once however often it is sent with the same key. */
@Injectable()
export class AppealRequests {
  constructor(
    private readonly voices: VoicesService,
    private readonly changes: AuditedChanges,
    private readonly requests: IdempotentRequests,
    private readonly appeals: AppealsService,
  ) {}

  async create<T extends object>(
    caller: Caller,
    key: string | null,
    requested: RequestedAppeal,
    respond: (appeal: ReviewAppeal) => T,
  ): Promise<T> {
    await this.voices.get(caller, requested.voiceId);
    const { result } = await this.changes.make(async (em) => {
      const events: Change<T>['events'] = [];
      const perform = async () => {
        const created = await this.appeals.appealing(byCaller(caller), requested, null)(em);
        events.push(...created.events);
        return respond(created.result);
      };
      const request = { appeal: requested };
      return { result: await this.requests.performIn(em, caller, key, request, perform), events };
    });
    return result;
  }

  /** The latest appeal of a voice of the caller's account. */
  async get(caller: Caller, voiceId: string): Promise<ReviewAppeal> {
    const voice = await this.voices.get(caller, voiceId);
    const appeal = await this.appeals.findLatest(voice.id);
    if (!appeal) throw new DomainError('appeal_not_found', { voiceId }, { param: 'voice_id' });
    return appeal;
  }
}
