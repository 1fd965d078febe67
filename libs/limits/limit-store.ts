/** Requests of one key that a process asks the store for. */
export interface RequestAsk {
  keyId: string;
  /** Requests the key may make in a window. */
  limit: number;
  /** Requests that the process wants to let pass. */
  requested: number;
}

/** The response of the store. */
export interface RequestGrant {
  /** Of those requested. */
  granted: number;
  /** Requests counted in the window, over all processes. */
  used: number;
  /** Milliseconds until the window ends. */
  endsInMs: number;
}

/** One running generation. */
export interface Slot {
  /** Unique for each attempt to take one: an attempt that was late is released, while another one for its request may succeed. */
  id: string;
  /** Whose limit counts it: the id of an account, or of a key with a limit. */
  ownerId: string;
}

/**
 * Where processes share what they count: PostgreSQL, or Redis when one is configured. Its clock decides when a window or a
 * lease ends. Every method rejects when it is down.
 */
export interface LimitStore {
  /** Counts and grants for several keys at once, each key once. The grants are in the same order. */
  takeRequests(asks: RequestAsk[], windowMs: number): Promise<RequestGrant[]>;
  /** What is counted for a key in its current window; null when none has begun. Changes nothing. */
  findWindow(keyId: string): Promise<Omit<RequestGrant, 'granted'> | null>;
  /** Takes a slot if fewer than `limit` others are taken. `running` includes the one that was taken. */
  takeSlot(slot: Slot, limit: number, leaseMs: number): Promise<{ taken: boolean; running: number }>;
  /** Keeps slots for another lease, also those that have expired. */
  renewSlots(slots: Slot[], leaseMs: number): Promise<void>;
  freeSlots(slots: Slot[]): Promise<void>;
  /** Slots of an owner that are taken. */
  countSlots(ownerId: string): Promise<number>;
  /** Ends its connections, if it has any. */
  close?(): void | Promise<void>;
}
