import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

/** A passkey, as its member sees it. */
export interface Passkey {
  id: string;
  name: string;
  /** Model of the authenticator that created it (WebAuthn, 6.5.1), if it says so. */
  aaguid: string | null;
  /** Whether it is copied to the member's other devices. */
  backedUp: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** Whose passkey it is. */
export interface PasskeyOwner {
  passkeyId: string;
  memberId: string;
  email: string;
}

const COLUMNS = `id, name, aaguid, backed_up AS "backedUp", created_at AS "createdAt", last_used_at AS "lastUsedAt"`;

/** Passkeys of staff. The sign-in library inserts them and counts their uses. */
@Injectable()
export class PasskeyRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Those of a member, oldest first. */
  async list(memberId: string): Promise<Passkey[]> {
    return this.dataSource.query<Passkey[]>(
      `SELECT ${COLUMNS} FROM staff_auth.passkey WHERE member_id = $1 ORDER BY created_at, id`,
      [memberId],
    );
  }

  /** A passkey of a member; null when the member has no such passkey. */
  async find(memberId: string, id: string, em: EntityManager): Promise<Passkey | null> {
    const rows = await em.query<Passkey[]>(
      `SELECT ${COLUMNS} FROM staff_auth.passkey WHERE member_id = $1 AND id = $2`,
      [memberId, id],
    );
    return rows[0] ?? null;
  }

  /** Whose passkey has this id of WebAuthn; null when no one's, or its member may not sign in. */
  async findOwner(credentialId: string): Promise<PasskeyOwner | null> {
    const rows = await this.dataSource.query<PasskeyOwner[]>(
      `SELECT p.id AS "passkeyId", m.id AS "memberId", m.email
       FROM staff_auth.passkey p JOIN staff_auth.member m ON m.id = p.member_id
       WHERE p.credential_id = $1 AND m.disabled_at IS NULL`,
      [credentialId],
    );
    return rows[0] ?? null;
  }

  async rename(id: string, name: string, em: EntityManager): Promise<void> {
    await em.query('UPDATE staff_auth.passkey SET name = $2 WHERE id = $1', [id, name]);
  }

  async delete(id: string, em: EntityManager): Promise<void> {
    await em.query('DELETE FROM staff_auth.passkey WHERE id = $1', [id]);
  }

  /** Removes all passkeys of a member. */
  async deleteAll(memberId: string, em: EntityManager): Promise<void> {
    await em.query('DELETE FROM staff_auth.passkey WHERE member_id = $1', [memberId]);
  }

  /** Writes down how many passkeys a member has, after one was added or removed. The member must be locked. */
  async recount(memberId: string, em: EntityManager): Promise<number> {
    const [[member]] = await em.query<[{ passkeys: number }[], number]>(
      `UPDATE staff_auth.member m
       SET passkeys = (SELECT count(*) FROM staff_auth.passkey p WHERE p.member_id = m.id)
       WHERE id = $1 RETURNING passkeys`,
      [memberId],
    );
    return member?.passkeys ?? 0;
  }

  /** A member has proved with this passkey, in this session, who they are. */
  async setUsed(id: string, sessionId: string, em: EntityManager): Promise<void> {
    await em.query('UPDATE staff_auth.passkey SET last_used_at = now() WHERE id = $1', [id]);
    await em.query('UPDATE staff_auth.session SET passkey_id = $1, confirmed_at = now() WHERE id = $2', [
      id,
      sessionId,
    ]);
  }
}
