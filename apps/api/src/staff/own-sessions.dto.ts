import type { OwnSession } from '@app/database/staff/staff.repository';

export interface OwnSessionResponse {
  id: string;
  /** Whether it is the one that sends this request. */
  current: boolean;
  /** Address of the client at the sign-in. */
  address: string | null;
  /** What the browser called itself at the sign-in. */
  user_agent: string | null;
  created_at: string;
  /** At most half a minute before the latest request. */
  last_seen_at: string;
}

export function toOwnSessionResponse(session: OwnSession, currentId: string): OwnSessionResponse {
  return {
    id: session.id,
    current: session.id === currentId,
    address: session.address,
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
  };
}
