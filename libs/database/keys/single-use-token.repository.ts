import { TOKEN_TTL_SECS } from '@app/domain/keys/single-use-token';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { SingleUseToken } from './single-use-token.entity';

type NewSingleUseToken = Omit<SingleUseToken, 'expiresAt' | 'usedAt'>;

/** By database time: processes need not agree on what time it is. */
const USABLE = 'used_at IS NULL AND expires_at > clock_timestamp()';

/** A player reads one recording in several requests. */
const PLAY_SECS = 60;
const PLAYABLE = `expires_at > clock_timestamp()
  AND (used_at IS NULL OR used_at > clock_timestamp() - interval '${PLAY_SECS} s')`;

@Injectable()
export class SingleUseTokenRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Stores a token that can be used from now on, unless its key has `most` of them.
   *
   * @returns how many the key had before
   */
  async insert(token: NewSingleUseToken, most: number, em: EntityManager): Promise<number> {
    // One at a time for each key, so that many requests at once do not all count the same.
    await em.query('SELECT FROM api_key WHERE id = $1 FOR NO KEY UPDATE', [token.keyId]);
    const [row] = await em.query<{ live: number }[]>(
      `WITH live AS (
           SELECT count(*)::int AS live FROM single_use_token WHERE key_id = $2 AND ${USABLE}
         ), stored AS (
           INSERT INTO single_use_token (digest, key_id, secret_number, type, address, max_credits, pinned_id, expires_at)
           SELECT $1, $2, $3, $4, $5, $6::bigint, $7, clock_timestamp() + make_interval(secs => $8) FROM live WHERE live < $9
         )
         SELECT live FROM live`,
      [
        token.digest,
        token.keyId,
        token.secretNumber,
        token.type,
        token.address,
        token.maxCredits,
        token.pinnedId,
        TOKEN_TTL_SECS,
        most,
      ],
    );
    return row!.live;
  }

  /** The token with this digest, if it can still be used; one of a recording also while that is played. */
  async findUsable(digest: string): Promise<SingleUseToken | null> {
    return this.dataSource.manager
      .createQueryBuilder(SingleUseToken, 't')
      .where(`t.digest = :digest AND (${USABLE} OR (t.type = 'preview_stream' AND ${PLAYABLE}))`, { digest })
      .getOne();
  }

  /** Uses a token up. False when it cannot be used any more; of several at once, one gets true. */
  async use(digest: string): Promise<boolean> {
    const [, used] = await this.dataSource.query<[unknown, number]>(
      `UPDATE single_use_token SET used_at = clock_timestamp() WHERE digest = $1 AND ${USABLE}`,
      [digest],
    );
    return used === 1;
  }

  /**
   * Uses the token of a recording for a request of its player: for a part, so that others may follow for a minute, or for all of
   * it, which is the last.
   */
  async play(digest: string, isPart: boolean): Promise<boolean> {
    const [, used] = await this.dataSource.query<[unknown, number]>(
      `UPDATE single_use_token
       SET used_at = CASE WHEN $2 THEN coalesce(used_at, clock_timestamp())
                          ELSE clock_timestamp() - interval '${PLAY_SECS} s' END
       WHERE digest = $1 AND ${PLAYABLE}`,
      [digest, isPart],
    );
    return used === 1;
  }

  /** Gives a token back whose request had no effect. */
  async release(digest: string): Promise<void> {
    await this.dataSource.query('UPDATE single_use_token SET used_at = NULL WHERE digest = $1', [digest]);
  }

  /** Deletes tokens that expired more than an hour ago. Returns how many, at most `batch`. */
  async deleteExpired(batch: number): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM single_use_token WHERE digest IN (
         SELECT digest FROM single_use_token WHERE expires_at < now() - interval '1 hour'
         LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [batch],
    );
    return deleted;
  }
}
