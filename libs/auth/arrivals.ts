import type { AccountMoveRepository } from '@app/database/cells/account-move.repository';
import { Logger } from '@nestjs/common';

/** How long what was read is used: shorter than a move, which says that an account arrives before it copies anything. */
const MAX_AGE_MS = 1_000;

/** Whether accounts have come from other cells: then keys of other cells can be ours. */
export class Arrivals {
  private readonly logger = new Logger(Arrivals.name);
  private known = false;
  private readAtMs = -Infinity;
  private reading: Promise<boolean> | null = null;

  constructor(
    private readonly moves: Pick<AccountMoveRepository, 'hasArrivals'>,
    private readonly monotonicMs = () => performance.now(),
  ) {}

  /** At once when it was read within a second. What was known last when it cannot be read. */
  any(): boolean | Promise<boolean> {
    if (this.monotonicMs() - this.readAtMs < MAX_AGE_MS) return this.known;
    this.reading ??= this.read().finally(() => (this.reading = null));
    return this.reading;
  }

  private async read(): Promise<boolean> {
    try {
      this.known = await this.moves.hasArrivals();
    } catch (error) {
      this.logger.warn(
        `Whether accounts have come from other cells is not known: ${(error as Error).message}`,
      );
    }
    this.readAtMs = this.monotonicMs();
    return this.known;
  }
}
