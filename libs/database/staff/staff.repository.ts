import type { StaffRole } from '@app/domain/staff/staff-permissions';
import { readEmailAddress } from '@app/domain/common/email-address';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, IsNull, type EntityManager } from 'typeorm';
import { caselessPattern } from '../common/caseless';
import { StaffMember } from './staff-member.entity';

/** How long a session lives without a request. */
const IDLE_MINUTES = 30;
/** A session is marked as used at most this often. */
const TOUCH_SECS = 30;

/** How long a confirmation (password, code, or the sign-in itself) counts for changes that need a recent one. */
const CONFIRMED_MINUTES = 10;

/** Who a live session belongs to. */
export interface StaffSession {
  sessionId: string;
  memberId: string;
  name: string;
  email: string;
  role: StaffRole;
  twoFactorEnabled: boolean;
  mustChangePassword: boolean;
  /** Whether the role requires a second factor. */
  secondFactorRequired: boolean;
  /** How many passkeys the member has. */
  passkeys: number;
  /** Whether the member used one of them in this session. */
  withPasskey: boolean;
  /** Whether the member proved who they are within the last minutes. */
  recentlyConfirmed: boolean;
}

/** A live session, as its member sees it. */
export interface OwnSession {
  id: string;
  address: string | null;
  userAgent: string | null;
  createdAt: Date;
  /** At most half a minute before the latest request. */
  lastSeenAt: Date;
}

/** How many active members a role has, and how many of them have neither a second factor nor a passkey. */
export interface RoleMembers {
  role: StaffRole;
  members: number;
  withoutSecondFactor: number;
}

/** What a sign-in with a password is checked against. */
interface PasswordRecord {
  memberId: string;
  passwordHash: string;
}

export interface StaffFilter {
  role?: StaffRole;
  disabled?: boolean;
  /** Part of the name or of the e-mail address. */
  search?: string;
}

@Injectable()
export class StaffRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * The member whose session this is, and marks the session as used unless polling reads it; null when it has ended, was idle for too long, or its
   * member is disabled. Always read: what is changed here holds from the next request on.
   */
  async findSession(tokenDigest: string, { isUse = true } = {}): Promise<StaffSession | null> {
    const rows = await this.dataSource.query<StaffSession[]>(
      `WITH live AS (
         SELECT s.id AS "sessionId", m.id AS "memberId", m.name, m.email, m.role, m.two_factor_enabled AS "twoFactorEnabled",
                m.must_change_password AS "mustChangePassword",
                p.second_factor_required AS "secondFactorRequired", m.passkeys,
                s.passkey_id IS NOT NULL AS "withPasskey",
                coalesce(s.confirmed_at > now() - make_interval(mins => $4), false) AS "recentlyConfirmed",
                $5 AND s.updated_at < now() - make_interval(secs => $3) AS stale
         FROM staff_auth.session s JOIN staff_auth.member m ON m.id = s.member_id
              JOIN staff_auth.role_policy p ON p.role = m.role
         WHERE s.token = $1 AND s.expires_at > now() AND s.updated_at > now() - make_interval(mins => $2)
           AND m.disabled_at IS NULL
       ), touched AS (
         UPDATE staff_auth.session s SET updated_at = now() FROM live WHERE s.id = live."sessionId" AND live.stale
       )
       SELECT "sessionId", "memberId", name, email, role, "twoFactorEnabled", "mustChangePassword",
              "secondFactorRequired", passkeys, "withPasskey", "recentlyConfirmed" FROM live`,
      [tokenDigest, IDLE_MINUTES, TOUCH_SECS, CONFIRMED_MINUTES, isUse],
    );
    return rows[0] ?? null;
  }

  /** Gives a session another token: a holder of the old one is signed out. */
  async replaceToken(tokenDigest: string, newDigest: string, em: EntityManager): Promise<void> {
    await em.query('UPDATE staff_auth.session SET token = $2, updated_at = now() WHERE token = $1', [
      tokenDigest,
      newDigest,
    ]);
  }

  /** Marks a session as confirmed now, or as not confirmed. */
  async setConfirmed(sessionId: string, confirmed: boolean, em: EntityManager): Promise<void> {
    await em.query('UPDATE staff_auth.session SET confirmed_at = CASE WHEN $2 THEN now() END WHERE id = $1', [
      sessionId,
      confirmed,
    ]);
  }

  /** Ends a session of any staff member. */
  async endSession(tokenDigest: string, em: EntityManager = this.dataSource.manager): Promise<void> {
    await em.query('DELETE FROM staff_auth.session WHERE token = $1', [tokenDigest]);
  }

  /** Ends all sessions of a member, except one if requested, and sign-ins that wait for their second factor. */
  async endSessions(
    memberId: string,
    exceptSessionId: string | null = null,
    em: EntityManager = this.dataSource.manager,
  ): Promise<number> {
    const [, ended] = await em.query<[unknown, number]>(
      'DELETE FROM staff_auth.session WHERE member_id = $1 AND id IS DISTINCT FROM $2::uuid',
      [memberId, exceptSessionId],
    );
    await em.query(`DELETE FROM staff_auth.verification WHERE value = $1`, [memberId]);
    return ended;
  }

  /** The live sessions of a member, last used first. */
  async listSessions(memberId: string): Promise<OwnSession[]> {
    return this.dataSource.query<OwnSession[]>(
      `SELECT id, ip_address AS address, user_agent AS "userAgent", created_at AS "createdAt", updated_at AS "lastSeenAt"
       FROM staff_auth.session
       WHERE member_id = $1 AND expires_at > now() AND updated_at > now() - make_interval(mins => $2)
       ORDER BY updated_at DESC, id`,
      [memberId, IDLE_MINUTES],
    );
  }

  /** Ends one session of a member. False when the member has no such session. */
  async endSessionOf(memberId: string, sessionId: string, em: EntityManager): Promise<boolean> {
    const [, ended] = await em.query<[unknown, number]>(
      'DELETE FROM staff_auth.session WHERE member_id = $1 AND id = $2',
      [memberId, sessionId],
    );
    return ended > 0;
  }

  /** One entry for each role that has active members. */
  async countByRole(em: EntityManager = this.dataSource.manager): Promise<RoleMembers[]> {
    return em.query<RoleMembers[]>(
      `SELECT role, count(*)::int AS members,
              count(*) FILTER (WHERE NOT two_factor_enabled AND passkeys = 0)::int AS "withoutSecondFactor"
       FROM staff_auth.member WHERE disabled_at IS NULL GROUP BY role`,
    );
  }

  /** Removes sessions and sign-ins that have run out. */
  async deleteExpired(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM staff_auth.session WHERE expires_at < now() OR updated_at < now() - make_interval(mins => $1)`,
      [IDLE_MINUTES],
    );
    await this.dataSource.query('DELETE FROM staff_auth.verification WHERE expires_at < now()');
  }

  async existsAny(em: EntityManager = this.dataSource.manager): Promise<boolean> {
    return em.exists(StaffMember, { where: {} });
  }

  async find(id: string, em: EntityManager = this.dataSource.manager): Promise<StaffMember | null> {
    return em.findOneBy(StaffMember, { id });
  }

  async findMany(ids: string[], em: EntityManager = this.dataSource.manager): Promise<StaffMember[]> {
    return ids.length === 0 ? [] : em.findBy(StaffMember, { id: In(ids) });
  }

  /** Members with one of these roles who are not disabled, by name. */
  async listActive(roles: readonly StaffRole[], limit: number): Promise<StaffMember[]> {
    return this.dataSource.manager.find(StaffMember, {
      where: { role: In([...roles]), disabledAt: IsNull() },
      order: { name: 'ASC', email: 'ASC' },
      take: limit,
    });
  }

  /** @param email as `readEmailAddress` writes it */
  async findByEmail(email: string, em = this.dataSource.manager): Promise<StaffMember | null> {
    return em.findOneBy(StaffMember, { email });
  }

  /** What the members with these e-mail addresses are called. */
  async namesOf(emails: readonly string[]): Promise<{ email: string; name: string }[]> {
    return this.dataSource.query('SELECT email, name FROM staff_auth.member WHERE email = ANY ($1)', [
      emails,
    ]);
  }

  /** @param subject who the identity provider says it is */
  async findAtProvider(subject: string): Promise<StaffMember | null> {
    const [linked] = await this.dataSource.query<{ memberId: string }[]>(
      `SELECT member_id AS "memberId" FROM staff_auth.account WHERE provider_id = 'oidc' AND account_id = $1`,
      [subject],
    );
    return linked ? this.find(linked.memberId) : null;
  }

  /**
   * The password that signs a person in; null when there is none, the person may not sign in, or it has run out.
   *
   * @param onlyInEmergency where passwords are off: for the hour that the command line has given
   */
  async findPassword(email: string, onlyInEmergency: boolean): Promise<PasswordRecord | null> {
    const rows = await this.dataSource.query<PasswordRecord[]>(
      `SELECT m.id AS "memberId", a.password AS "passwordHash"
       FROM staff_auth.member m
       JOIN staff_auth.account a ON a.provider_id = 'credential' AND a.account_id = m.id::text
       WHERE m.email = $1 AND m.disabled_at IS NULL AND a.password IS NOT NULL
         AND (m.one_time_password_until IS NULL OR m.one_time_password_until > now())
         AND (NOT $2 OR m.emergency_until > now())`,
      [email, onlyInEmergency],
    );
    return rows[0] ?? null;
  }

  /** A member, locked until the transaction ends. */
  async lock(id: string, em: EntityManager): Promise<StaffMember | null> {
    return em.findOne(StaffMember, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** The admins who are not disabled, locked in one order until the transaction ends. */
  async lockActiveAdmins(em: EntityManager): Promise<StaffMember[]> {
    return em.find(StaffMember, {
      where: { role: 'admin', disabledAt: IsNull() },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Stores a member with a hashed password. False when the e-mail address is taken. */
  async insert(member: StaffMember, passwordHash: string, em: EntityManager): Promise<boolean> {
    const result = await em
      .createQueryBuilder()
      .insert()
      .into(StaffMember)
      .values(member)
      .orIgnore()
      .execute();
    if ((result.raw as unknown[]).length === 0) return false;
    await this.setPassword(member.id, passwordHash, em);
    return true;
  }

  async update(
    id: string,
    change: Partial<
      Pick<
        StaffMember,
        | 'role'
        | 'name'
        | 'disabledAt'
        | 'mustChangePassword'
        | 'oneTimePasswordUntil'
        | 'emergencyUntil'
        | 'twoFactorEnabled'
        | 'passkeys'
      >
    >,
    em: EntityManager,
  ): Promise<void> {
    await em.update(StaffMember, { id }, { ...change, version: () => 'version + 1' });
  }

  async findPasswordHash(
    memberId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<string | null> {
    const rows = await em.query<{ password: string | null }[]>(
      `SELECT password FROM staff_auth.account WHERE provider_id = 'credential' AND account_id = $1`,
      [memberId],
    );
    return rows[0]?.password ?? null;
  }

  async setPassword(memberId: string, passwordHash: string, em: EntityManager): Promise<void> {
    await em.query(
      `INSERT INTO staff_auth.account (account_id, provider_id, member_id, password)
       VALUES ($1::text, 'credential', $1::uuid, $2)
       ON CONFLICT (provider_id, account_id) DO UPDATE SET password = excluded.password, updated_at = now()`,
      [memberId, passwordHash],
    );
  }

  async deletePassword(memberId: string, em: EntityManager): Promise<void> {
    await em.query(`DELETE FROM staff_auth.account WHERE provider_id = 'credential' AND account_id = $1`, [
      memberId,
    ]);
  }

  /** The encrypted secret of a member's authenticator app; null without one. */
  async findSecondFactorSecret(
    memberId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<string | null> {
    const rows = await em.query<{ secret: string }[]>(
      'SELECT secret FROM staff_auth.two_factor WHERE member_id = $1',
      [memberId],
    );
    return rows[0]?.secret ?? null;
  }

  /** Uses up the codes of a time step and of all before it. False when they were used up before. */
  async useSecondFactorStep(
    memberId: string,
    step: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<boolean> {
    const [, used] = await em.query<[unknown, number]>(
      'UPDATE staff_auth.two_factor SET last_step = $2 WHERE member_id = $1 AND coalesce(last_step, -1) < $2',
      [memberId, step],
    );
    return used > 0;
  }

  async deleteSecondFactor(memberId: string, em: EntityManager): Promise<void> {
    await em.query('DELETE FROM staff_auth.two_factor WHERE member_id = $1', [memberId]);
  }

  /** Members that match, by e-mail address, after `afterEmail`. */
  async list(
    filter: StaffFilter,
    { afterEmail, limit }: { afterEmail: string | null; limit: number },
  ): Promise<StaffMember[]> {
    const query = this.filtered(filter).orderBy('m.email').limit(limit);
    if (afterEmail !== null) query.andWhere('m.email > :afterEmail', { afterEmail });
    return query.getMany();
  }

  /** When each member signed in last, of those who ever did. */
  async listLastSignIns(memberIds: readonly string[]): Promise<Map<string, Date>> {
    const rows = await this.dataSource.query<{ id: string; at: Date }[]>(
      `SELECT m.id, e.at FROM unnest($1::text[]) m (id), LATERAL (
         SELECT s.at FROM audit_event s WHERE s.actor_id = m.id AND s.action = 'staff.signed_in' ORDER BY s.id DESC LIMIT 1) e`,
      [memberIds],
    );
    return new Map(rows.map(({ id, at }) => [id, at]));
  }

  async count(filter: StaffFilter): Promise<number> {
    return this.filtered(filter).getCount();
  }

  private filtered({ role, disabled, search }: StaffFilter) {
    const query = this.dataSource.manager.createQueryBuilder(StaffMember, 'm').where('true');
    if (role !== undefined) query.andWhere('m.role = :role', { role });
    if (disabled !== undefined) query.andWhere(`m.disabled_at IS ${disabled ? 'NOT ' : ''}NULL`);
    if (search) {
      const pattern = caselessPattern(readEmailAddress(search) ?? search);
      query.andWhere('(plain_text(m.email) ~ :pattern OR plain_text(m.name) ~ :pattern)', { pattern });
    }
    return query;
  }
}
