import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, IsNull, Raw, type EntityManager } from 'typeorm';
import { Preview } from './preview.entity';

export type NewPreview = Omit<Preview, 'createdAt' | 'expiresAt' | 'failedAt' | 'voiceId'>;

/** A preview and how long it can still become a voice. */
export interface AgedPreview {
  preview: Preview;
  secondsLeft: number;
  /** Its position in a list. */
  position: string;
}

/** Those that expired and became no voice are about to be deleted; those that failed never had audio. */
const STORED = `p.account_id = $1 AND p.failed_at IS NULL AND (p.expires_at > now() OR p.voice_id IS NOT NULL)`;

/** Database time decides what has expired, not the clock of one process. */
const notExpired = () => Raw((column) => `${column} > now()`);

@Injectable()
export class PreviewRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores new previews that live for `ttlHours` from now. */
  async insertAll(
    previews: NewPreview[],
    ttlHours: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    await em
      .createQueryBuilder()
      .insert()
      .into(Preview)
      .values(
        previews.map((preview) => ({ ...preview, expiresAt: () => `now() + interval '${ttlHours} hours'` })),
      )
      .execute();
  }

  /** Gives a preview its audio. False when it has failed or is gone. */
  async markReady(
    id: string,
    { audioDigest, durationSecs, spec }: Pick<Preview, 'durationSecs' | 'spec'> & { audioDigest: string },
    em: EntityManager = this.dataSource.manager,
  ): Promise<boolean> {
    const { affected } = await em.update(
      Preview,
      { id, audioDigest: IsNull(), failedAt: IsNull() },
      { audioDigest, durationSecs, spec },
    );
    return affected === 1;
  }

  /** Notes what the engine needs to speak with its voice, now that it keeps it. */
  async setSpec(id: string, spec: object): Promise<void> {
    await this.dataSource.manager.update(Preview, { id }, { spec });
  }

  /** Notes that there will be no audio for the previews of a request. */
  async markFailed(
    accountId: string,
    requestId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    await em.update(
      Preview,
      { accountId, requestId, audioDigest: IsNull(), failedAt: IsNull() },
      { failedAt: () => 'now()' },
    );
  }

  /** Requests whose previews have waited for their audio for `waitedSecs`: the process that spoke them is gone. */
  async listAbandoned(
    waitedSecs: number,
    limit: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<{ accountId: string; requestId: string }[]> {
    return em.query<{ accountId: string; requestId: string }[]>(
      `SELECT DISTINCT account_id AS "accountId", request_id AS "requestId" FROM preview
       WHERE audio_digest IS NULL AND failed_at IS NULL AND created_at < now() - make_interval(secs => $1) LIMIT $2`,
      [waitedSecs, limit],
    );
  }

  /** A live preview of this account; null for an unknown or expired one and for another account's. */
  async findOwned(
    id: string,
    accountId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<Preview | null> {
    return em.findOneBy(Preview, { id, accountId, expiresAt: notExpired() });
  }

  /** The same, locked until the transaction ends: the holder of the lock decides what happens to the preview. */
  async lockOwned(id: string, accountId: string, em: EntityManager): Promise<Preview | null> {
    return em.findOne(Preview, { where: { id, accountId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Which of these ids are previews of this account, expired or not. */
  async listOwnedIds(
    ids: string[],
    accountId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<string[]> {
    const found = await em.find(Preview, { where: { id: In(ids), accountId }, select: { id: true } });
    return found.map((preview) => preview.id);
  }

  /**
   * The previews of an account that can become a voice or have become one, newest first.
   *
   * @param keyId only those that this key has paid for
   */
  async list(
    accountId: string,
    after: { value: string; id: string } | null,
    limit: number,
    keyId: string | null = null,
  ): Promise<AgedPreview[]> {
    const rows = await this.dataSource.query<{ id: string; secondsLeft: number; position: string }[]>(
      `SELECT p.id, p.created_at::text AS position,
         greatest(0, ceil(extract(epoch FROM p.expires_at - now())))::int AS "secondsLeft"
       FROM preview p WHERE ${STORED} AND ($3::uuid IS NULL OR p.key_id = $3)
         ${after ? 'AND (p.created_at, p.id) < ($4::timestamptz, $5)' : ''}
       ORDER BY p.created_at DESC, p.id DESC LIMIT $2`,
      [accountId, limit, keyId, ...(after ? [after.value, after.id] : [])],
    );
    const previews = await this.dataSource.manager.findBy(Preview, { id: In(rows.map(({ id }) => id)) });
    const byId = new Map(previews.map((preview) => [preview.id, preview]));
    return rows.flatMap(({ id, ...rest }) => {
      const preview = byId.get(id);
      return preview ? [{ preview, ...rest }] : [];
    });
  }

  /** How many previews such a list has. */
  async count(accountId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM preview p WHERE ${STORED}`,
      [accountId],
    );
    return row!.total;
  }

  /**
   * Deletes previews that expired at least `graceSecs` ago and have not become a voice, oldest first, without looking at those that
   * are. Returns how many. The grace must be longer than any transaction that makes a voice of a preview.
   */
  async deleteExpired(
    graceSecs: number,
    limit: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<number> {
    const [, deleted] = await em.query<[unknown[], number]>(
      `WITH expired AS MATERIALIZED (
         SELECT p.id FROM preview p
         WHERE p.expires_at < now() - make_interval(secs => $1)
           AND p.voice_id IS NULL
         ORDER BY p.expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       DELETE FROM preview p USING expired WHERE p.id = expired.id`,
      [graceSecs, limit],
    );
    return deleted;
  }
}
