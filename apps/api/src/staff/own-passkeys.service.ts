import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { PasskeyRepository, type Passkey } from '@app/database/staff/passkey.repository';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import type { NewPasskey } from '@app/domain/staff/passkey';
import type { Staff } from '@app/domain/staff/staff';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ownEvent } from './own-security-checks';
import { readChallenge, type PasskeyChallenge } from './passkey-proofs.service';
import { SessionTokens } from './session-tokens';
import { SignInLibrary } from './sign-in-library';

/** More than anybody has devices. */
const MOST = 20;

/** A passkey, with what keeps it as far as that is known: "iCloud Keychain", "Windows Hello". */
export type OwnPasskey = Passkey & { storedIn: string | null };

/** The passkeys of the member who asks. */
@Injectable()
export class OwnPasskeysService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly passkeys: PasskeyRepository,
    private readonly staff: StaffRepository,
    private readonly library: SignInLibrary,
    private readonly tokens: SessionTokens,
  ) {}

  /** Oldest first. */
  async list(staff: Staff): Promise<OwnPasskey[]> {
    const passkeys = await this.passkeys.list(staff.id);
    return Promise.all(passkeys.map((passkey) => this.describe(passkey)));
  }

  /** What the browser needs to make a passkey; `add` takes what comes of it. */
  async start(staff: Staff): Promise<PasskeyChallenge> {
    if (staff.passkeys >= MOST) throw new DomainError('passkey_limit_reached', { limit: MOST });
    const response = await this.library.call((api) =>
      api.generatePasskeyRegistrationOptions({
        query: {},
        headers: this.tokens.headersOf(staff),
        asResponse: true,
      }),
    );
    return readChallenge(response);
  }

  /** The session in which a passkey is added has proved it. */
  async add(
    staff: Staff,
    { name, credential }: { name: string; credential: NewPasskey },
  ): Promise<OwnPasskey> {
    const { result } = await this.changes.make(async (em) => {
      await this.staff.lock(staff.id, em);
      const id = await this.library.pool.within(em, () => this.register(staff, { name, credential }));
      if ((await this.passkeys.recount(staff.id, em)) > MOST)
        throw new DomainError('passkey_limit_reached', { limit: MOST });
      await this.passkeys.setUsed(id, staff.sessionId, em);
      const passkey = await this.get(staff, id, em);
      const event = {
        ...ownEvent(staff, 'staff.passkey_added'),
        after: { passkey_id: id, name: passkey.name, synced: passkey.backedUp },
      };
      return { result: passkey, events: [event] };
    });
    return this.describe(result);
  }

  async rename(staff: Staff, id: string, name: string): Promise<OwnPasskey> {
    const { result } = await this.changes.make(async (em) => {
      await this.staff.lock(staff.id, em);
      const before = await this.get(staff, id, em);
      if (before.name === name) return { result: before, events: [] };
      await this.passkeys.rename(id, name, em);
      const event = {
        ...ownEvent(staff, 'staff.passkey_renamed'),
        before: { name: before.name },
        after: { passkey_id: id, name },
      };
      return { result: { ...before, name }, events: [event] };
    });
    return this.describe(result);
  }

  /** Not the last one where it is the second factor that the role requires. */
  async remove(staff: Staff, id: string): Promise<void> {
    await this.changes.make(async (em) => {
      const member = await this.staff.lock(staff.id, em);
      const { name } = await this.get(staff, id, em);
      await this.passkeys.delete(id, em);
      const left = await this.passkeys.recount(staff.id, em);
      if (left === 0 && staff.secondFactorRequired && !member?.twoFactorEnabled)
        throw new DomainError('second_factor_required_by_role', { role: staff.role });
      const event = {
        ...ownEvent(staff, 'staff.passkey_removed'),
        before: { passkey_id: id, name },
      };
      return { result: undefined, events: [event] };
    });
  }

  private async describe(passkey: Passkey): Promise<OwnPasskey> {
    const { getAuthenticatorName } = await this.library.load();
    return { ...passkey, storedIn: getAuthenticatorName(passkey.aaguid) ?? null };
  }

  private async get({ id: memberId }: Staff, id: string, em: EntityManager): Promise<Passkey> {
    const passkey = isUuid(id) ? await this.passkeys.find(memberId, id, em) : null;
    if (passkey) return passkey;
    throw new DomainError('passkey_not_found', { passkeyId: id.slice(0, 100) });
  }

  /** Has the library check and store a new passkey. Returns its id. */
  private async register(
    staff: Staff,
    { name, credential }: { name: string; credential: NewPasskey },
  ): Promise<string> {
    const response = await this.library.call((api) =>
      api.verifyPasskeyRegistration({
        body: { response: { ...credential, clientExtensionResults: {} }, name },
        headers: this.tokens.headersOf(staff),
        asResponse: true,
      }),
    );
    if (!response.ok) throw new DomainError('passkey_refused');
    return ((await response.json()) as { id: string }).id;
  }
}
