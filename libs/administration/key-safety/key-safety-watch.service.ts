import { KeyFindingRepository } from '@app/database/key-safety/key-finding.repository';
import { KeySafetyRepository } from '@app/database/key-safety/key-safety.repository';
import { STOPPED } from '@app/gates/gates';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

/** Keys that are looked at in one transaction: what they were used for within 30 days is read with them. */
const KEYS_PER_ROUND = 500;
const ACCOUNTS_PER_ROUND = 500;
/** From the end of a pass over everything to the beginning of the next. */
const PAUSE_MS = 10 * 60_000;
const STORED_DAYS = 400;
const OLD_DAYS_PER_ROUND = 5_000;

/**
 * Makes findings about keys: at once about those that were changed, and again and again about all of them, because findings
 * come and go with time and with traffic. At the end of each such pass, every account gets its score of the day.
 */
@Injectable()
export class KeySafetyWatchService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly findings: KeyFindingRepository,
    private readonly safety: KeySafetyRepository,
  ) {}

  /**
   * Looks at some keys, unless another process is doing so.
   *
   * @returns whether there are more that were changed
   */
  async check(now = new Date()): Promise<boolean> {
    return this.dataSource.transaction(async (em) => {
      if (!(await this.safety.tryLock(em))) return false;
      const due = await this.safety.takeDue(KEYS_PER_ROUND, em);
      if (due.length > 0) {
        await this.findings.refresh(due, STOPPED, em);
        return true;
      }
      await this.passOn(now, em);
      return false;
    });
  }

  /** One step of a pass: keys, then accounts. */
  private async passOn(now: Date, em: EntityManager): Promise<void> {
    const pass = (await this.safety.findPass(em)) ?? {
      beganAt: now,
      stage: 'keys',
      after: null,
      finishedAt: null,
    };
    if (pass.stage === 'done') {
      if (pass.finishedAt && now.getTime() - pass.finishedAt.getTime() < PAUSE_MS) return;
      return this.safety.savePass({ ...pass, beganAt: now, stage: 'keys', after: null }, em);
    }
    if (pass.stage === 'keys') {
      const keys = await this.safety.listNext('api_key', pass.after, KEYS_PER_ROUND, em);
      await this.findings.refresh(keys, STOPPED, em);
      const isLast = keys.length < KEYS_PER_ROUND;
      return this.safety.savePass(
        isLast ? { ...pass, stage: 'accounts', after: null } : { ...pass, after: keys.at(-1)! },
        em,
      );
    }
    const accounts = await this.safety.listNext('account', pass.after, ACCOUNTS_PER_ROUND, em);
    await this.findings.saveScores(accounts, em);
    if (accounts.length === ACCOUNTS_PER_ROUND)
      return this.safety.savePass({ ...pass, after: accounts.at(-1)! }, em);
    await this.safety.deleteOldDays(STORED_DAYS, OLD_DAYS_PER_ROUND, em);
    return this.safety.savePass({ ...pass, stage: 'done', after: null, finishedAt: now }, em);
  }
}
