import { LedgerArchiveRepository } from '@app/database/credits/ledger-archive.repository';
import { LEDGER_MONTHS_AHEAD } from '@app/domain/credits/ledger-archive';
import { Injectable } from '@nestjs/common';
import { ended, type Round } from '../loop';

/** Creates the partitions of the ledger for the coming months. */
@Injectable()
export class LedgerMonths {
  constructor(private readonly months: LedgerArchiveRepository) {}

  async create(): Promise<Round> {
    return ended('idle', { month: await this.months.makeMonths(LEDGER_MONTHS_AHEAD) });
  }
}
