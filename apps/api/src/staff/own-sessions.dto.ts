import type { OwnSession } from '@app/database/staff/staff.repository';

export interface OwnSessionResponse extends ReturnType<typeof toOwnSessionResponse> {}

export function toOwnSessionResponse(session: OwnSession, currentId: string) {
  return {
    id: session.id,
    /** Whether it is the one that sends this request. */
    current: session.id === currentId,
    /** Address of the client at the sign-in. */
    address: session.address,
    /** What the browser called itself at the sign-in. */
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    /** At most half a minute before the latest request. */
    last_seen_at: session.lastSeenAt.toISOString(),
  };
}
