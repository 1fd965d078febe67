import { ApprovalsService } from '@app/administration/approvals/approvals.service';
import { Injectable } from '@nestjs/common';
import { ended, type Round } from '../loop';

const BATCH = 50;

/** Ends changes that have waited too long for a second person. */
@Injectable()
export class ApprovalExpiry {
  constructor(private readonly approvals: ApprovalsService) {}

  /** Ends one batch. Several workers end each once. */
  async expire(): Promise<Round> {
    const approvals = await this.approvals.expireDue(BATCH);
    return ended(approvals === BATCH ? 'more' : 'idle', { approval: approvals });
  }
}
