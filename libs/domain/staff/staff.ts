import type { StaffRole } from './staff-permissions';

/** Where a request under /admin comes from. */
export interface Visitor {
  /** Address of the client; null when it cannot be known. */
  address: string | null;
  /** The Cookie header. */
  cookie: string | undefined;
  /** The User-Agent header. */
  userAgent: string | undefined;
  /** The Origin header. */
  origin?: string;
  requestId: string;
}

/** A signed-in member of staff, or a program with a management credential, and with which request. Every service method that acts for staff takes it first. */
export interface Staff extends Visitor {
  id: string;
  name: string;
  email: string;
  role: StaffRole;
  sessionId: string;
  twoFactorEnabled: boolean;
  mustChangePassword: boolean;
  secondFactorRequired: boolean;
  /** How many passkeys the member has. */
  passkeys: number;
  /** Whether the member used one of them in this session. */
  withPasskey: boolean;
  /** Of a program: the member who has created its credential. The id, name and role are then those of the credential. */
  creatorId?: string;
  /** Of a program that is bound to accounts: the id of its credential, which lists are narrowed by. */
  boundBy?: string;
}
