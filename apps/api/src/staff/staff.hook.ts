import { hookRoutes } from '@app/auth/route-hooks';
import { AppConfig } from '@app/config/app-config';
import { StaffRepository, type StaffSession } from '@app/database/staff/staff.repository';
import { clientAddress } from '@app/domain/addresses/client-address';
import { DomainError } from '@app/domain/errors';
import { formatIpAddress } from '@app/domain/addresses/ip-address';
import { DRAWN_FOR, UNATTENDED } from '@app/domain/staff/request-marks';
import { mayStaff, STAFF_ROLES, type StaffPermission } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ManagementVerifier, managementSecretOf } from '../management-credentials/management-verifier';
import { refuseInClear } from '../http/own-origin';
import { isStaffPath } from '../http/problem-json';
import type { RouteAccess, StaffRouteAccess } from '../http/route-table';
import type { Staff, Visitor } from '@app/domain/staff/staff';
import { SessionCookies } from './session-cookies';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Admits requests under /admin before their body is read: no other site may cause a change, and what a route needs stands
 * in its `access`. The session is read for every request, so that what was revoked is refused from the next request on.
 */
@Injectable()
export class StaffHook {
  constructor(
    private readonly staff: StaffRepository,
    private readonly cookies: SessionCookies,
    private readonly programs: ManagementVerifier,
    private readonly config: AppConfig,
  ) {}

  /** Must run before routes are registered. */
  protect(fastify: FastifyInstance): void {
    hookRoutes(fastify, ({ url, config }) =>
      isStaffPath(url)
        ? {
            admit: (request, reply) => this.receive(request, reply, config?.access),
            onSend: (request, reply, payload, done) => {
              this.nameCookies(request, reply);
              done(null, payload);
            },
          }
        : undefined,
    );
  }

  /** Whether a long request that was admitted would still be: session and role are read again. */
  async isStillAdmitted({ id, cookie, creatorId }: Staff, permission: StaffPermission): Promise<boolean> {
    if (creatorId !== undefined) return this.programs.isStillAdmitted(id, permission);
    const token = this.cookies.readSession(cookie);
    const session = token && (await this.staff.findSession(token, { isUse: false }));
    if (!session || session.memberId !== id || !mayStaff(session.role, permission)) return false;
    return setupRefusal(session, undefined) === null;
  }

  private async receive(
    request: FastifyRequest,
    reply: FastifyReply,
    access: RouteAccess | undefined,
  ): Promise<undefined> {
    // Nothing of it is shown inside another site.
    void reply.header('cross-origin-resource-policy', 'same-origin');
    request.visitor = this.visitorOf(request);
    const secret = managementSecretOf(request);
    if (secret !== null && typeof access === 'object') {
      // No browser sends it by itself, so that no other site can misuse it; a cookie beside it counts for nothing.
      request.staff = await this.programs.admit(request, secret, request.visitor, access);
      return;
    }
    this.refuseCrossSite(request);
    if (typeof access !== 'object' && !SAFE_METHODS.has(request.method)) refuseInClear(request);
    if (typeof access === 'object') await this.admit(request, request.visitor, access);
  }

  private visitorOf(request: FastifyRequest): Visitor {
    const { address } = clientAddress(
      request.raw.socket.remoteAddress,
      request.headers['x-forwarded-for'],
      this.config.trustedProxies,
    );
    return {
      address: address && formatIpAddress(address),
      cookie: this.cookies.fromBrowser(request.headers.cookie, request.ownOrigin),
      userAgent: request.headers['user-agent'],
      origin: request.headers.origin,
      requestId: request.id,
    };
  }

  private nameCookies({ ownOrigin }: FastifyRequest, reply: FastifyReply): void {
    const cookies = reply.getHeader('set-cookie');
    if (cookies === undefined) return;
    const named = [cookies].flat().map((cookie) => this.cookies.toBrowser(String(cookie), ownOrigin));
    reply.removeHeader('set-cookie').header('set-cookie', named);
  }

  private async admit(request: FastifyRequest, visitor: Visitor, access: StaffRouteAccess): Promise<void> {
    const token = this.cookies.readSession(visitor.cookie);
    const isUse = request.headers[UNATTENDED] === undefined;
    const session = token && (await this.staff.findSession(token, { isUse }));
    if (!session) throw new DomainError('staff_sign_in_required');
    if ((request.headers[DRAWN_FOR] ?? session.memberId) !== session.memberId)
      throw new DomainError('staff_session_of_another');
    const refusal = setupRefusal(session, access.before);
    if (refusal) throw refusal;
    checkPermission(session, access);
    checkConfirmation(session, access);
    request.staff = {
      id: session.memberId,
      name: session.name,
      email: session.email,
      role: session.role,
      sessionId: session.sessionId,
      twoFactorEnabled: session.twoFactorEnabled,
      mustChangePassword: session.mustChangePassword,
      secondFactorRequired: session.secondFactorRequired,
      passkeys: session.passkeys,
      withPasskey: session.withPasskey,
      ...visitor,
    };
  }

  /**
   * Browsers say where a request comes from, in Sec-Fetch-Site or, when they are old, in Origin; scripts and tools say
   * nothing and have no cookies of others to misuse.
   */
  private refuseCrossSite({ method, headers, ownOrigin }: FastifyRequest): void {
    if (SAFE_METHODS.has(method)) return;
    const site = headers['sec-fetch-site'];
    const origin = headers.origin;
    const crossSite = site !== undefined && site !== 'same-origin' && site !== 'none';
    if (crossSite || (origin !== undefined && !this.isOwn(origin, ownOrigin))) {
      const from = origin?.slice(0, 100) ?? String(site).slice(0, 100);
      throw new DomainError('cross_site_request', { origin: from, own: ownOrigin.slice(0, 100) });
    }
  }

  /** Without PUBLIC_URL the host decides: a proxy that is not trusted may have added TLS. */
  private isOwn(origin: string, ownOrigin: string): boolean {
    if (this.config.publicUrl) return origin === ownOrigin;
    return URL.canParse(origin) && new URL(origin).host === ownOrigin.slice(ownOrigin.indexOf('://') + 3);
  }
}

/**
 * A password of one's own comes first, then the second factor, if the role requires one: a code, which every sign-in of its
 * owner has needed, or a passkey that was used in this session. Who has a passkey uses it, and with the password alone can
 * neither set up another factor nor change that password.
 */
function setupRefusal(session: StaffSession, before: StaffRouteAccess['before']): DomainError | null {
  if (before === 'anything') return null;
  if (session.mustChangePassword)
    return before === 'password' ? null : new DomainError('password_change_required');
  const { role, secondFactorRequired, twoFactorEnabled, withPasskey } = session;
  if (before === 'passkey' || !secondFactorRequired || twoFactorEnabled || withPasskey) return null;
  if (session.passkeys > 0) return new DomainError('passkey_required', { role });
  const mayBefore = before === 'second_factor' || before === 'password';
  return mayBefore ? null : new DomainError('second_factor_setup_required', { role });
}

function checkConfirmation(session: StaffSession, { confirmed }: StaffRouteAccess): void {
  if (!confirmed || session.recentlyConfirmed) return;
  const typed = session.twoFactorEnabled ? 'a code of your authenticator app' : 'your password';
  const proof = session.passkeys > 0 ? `your passkey or ${typed}` : typed;
  throw new DomainError('sign_in_confirmation_required', { proof });
}

function checkPermission({ role }: StaffSession, { staff: permission }: StaffRouteAccess): void {
  if (permission === 'signed_in' || mayStaff(role, permission)) return;
  const roles = STAFF_ROLES.filter((other) => mayStaff(other, permission)).join(', ');
  throw new DomainError('staff_permission_missing', { role, permission, roles });
}
